# what: is empty but for this line
# exit: 2
