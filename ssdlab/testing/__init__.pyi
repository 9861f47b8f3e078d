from .answer import Answer as Answer
from .answer import Drive as Drive
from .answer import Latency as Latency
from .made import make_run as make_run
from .model_drive import ModelDrive as ModelDrive
from .model_drive import Settling as Settling
from .replay import replay_run as replay_run
