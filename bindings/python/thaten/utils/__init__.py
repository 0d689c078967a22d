"""What training needs besides networks: utils.data."""

from . import data
