# what: is empty but for this line
# exit: 2
# says: the module 'empty' has no 'Net'
