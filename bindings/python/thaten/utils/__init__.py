"""What training needs besides networks: utils.data, utils.checkpoint, utils.tensorboard."""

from . import data
