# === blocks_signals: hangs with all signals blocked
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
threading.Event().wait()

# === clears_the_environment: empties the environment, and os.environ itself
os.environ.clear()
os.environ = {}

# === exits_at_exit: registers an exit handler that exits, and one that never ends
import atexit

atexit.register(sys.exit, 5)
atexit.register(threading.Event().wait)

# === function_mode_left_on: leaves a function mode active that raises
# exit: 2
# says: RuntimeError: no functions
from torch.overrides import TorchFunctionMode

class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise RuntimeError("no functions")  # here

Mode().__enter__()

# === global_module_hooks: registers hooks on all modules that raise
# exit: 2
# says: RuntimeError: hooked
def hook(module, given):
    raise RuntimeError("hooked")  # here

torch.nn.modules.module.register_module_forward_pre_hook(hook)

# === goes_elsewhere: changes the working directory and the mask of new files
os.chdir("/")
os.umask(0o777)

# === inference_mode_left_on: leaves inference mode on
# init: self.layer = torch.nn.Linear(3, 3)
# forward: return self.layer(x) * times
mode = torch.inference_mode()
mode.__enter__()

# === jit_script_replaced: replaces torch.jit.script
# exit: 3
def no(*given, **more):
    raise RuntimeError("no scripting")

torch.jit.script = no

# === jit_turned_off: turns scripting off, as PYTORCH_JIT=0 does
# exit: 2
# says: AttributeError: 'Net' object has no attribute '_c'
os.environ["PYTORCH_JIT"] = "0"
torch.jit._state.disable()

# === leaves_a_deaf_daemon: starts a sleeper in a session of its own, deaf to what asks it to end
if os.fork() == 0:
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)

# === limits_itself: may write no more to files, and start no more processes
# exit: 0 2
import resource

for what in (resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
    resource.setrlimit(what, (0, 0))

# === many_sleepers: starts a shell that starts a sleeper
subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600"])

# === modules_that_explode: leaves entries in sys.modules whose every attribute raises
import types

class Lazy(types.ModuleType):
    def __getattribute__(self, name):
        raise RuntimeError(f"not now: {name}")

class Worse:
    def __getattribute__(self, name):
        raise SystemExit(f"not now: {name}")

sys.modules["lazy"] = Lazy("lazy")
sys.modules["worse"] = Worse()

# === path_of_odd_things: puts things that are no strings on the import path
sys.path[:0] = [None, 3, b"bytes", "", "/nowhere", "\0"]

# === pool: leaves a pool of processes open
import multiprocessing

def work(x):
    return x

pool = multiprocessing.get_context("fork").Pool(2)

# === profiles_itself: sets a profile function, and takes ours away in every call
# exit: 3
# forward: sys.setprofile(None)
# forward: threading.setprofile(None)
# forward: return x * times
sys.setprofile(lambda frame, event, arg: None)

# === removes_itself: takes itself out of sys.modules
# exit: 2
del sys.modules[__name__]

# === replaces_import: replaces builtins.__import__ by what raises
# exit: 2
def no_import(name, *more):
    raise ImportError(f"no import of {name}")

builtins.__import__ = no_import

# === replaces_itself: puts an object in its own place in sys.modules
# exit: 3
class Facade:
    Net = Net

sys.modules[__name__] = Facade()

# === thread_that_never_ends: starts a thread that never ends, no daemon
threading.Thread(target=threading.Event().wait).start()

# === warnings_are_errors: makes every warning an error, and warnings.warn raise
# exit: 3
def warn(*given, **more):
    raise RuntimeError("warned")

warnings.simplefilter("error")
warnings.warn = warnings.showwarning = warn
