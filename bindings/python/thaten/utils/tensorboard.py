"""Event files, which TensorBoard shows."""

import os as _os
import time as _time

from .. import _C
from .._C import Tensor


def _tensor(values):
    return values.detach() if isinstance(values, Tensor) else _C.tensor(values)


class SummaryWriter:
    """Writes curves, distributions, pictures and text of a training to a folder, runs/ and the time if none is given."""

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        self.log_dir = log_dir or _os.path.join("runs", _time.strftime("%b%d_%H-%M-%S") + comment)
        _os.makedirs(self.log_dir, exist_ok=True)
        self._summary = _C.Summary(self.log_dir)

    def get_logdir(self):
        return self.log_dir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """A point of the curve of that name."""
        self._summary.scalar(tag, float(scalar_value), global_step or 0)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """A point of each of several curves."""
        for tag, value in tag_scalar_dict.items():
            self.add_scalar("%s/%s" % (main_tag, tag), value, global_step)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """The distribution of the elements."""
        self._summary.histogram(tag, _tensor(values), global_step or 0)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture: floating numbers from 0 to 1, or Bytes."""
        image = _tensor(img_tensor)
        if dataformats == "HW":
            image = image.unsqueeze(0)
        elif dataformats == "HWC":
            image = image.permute(2, 0, 1)
        elif dataformats != "CHW":
            raise ValueError("dataformats is %r, and not CHW, HWC or HW" % (dataformats,))
        self._summary.image(tag, image.contiguous(), global_step or 0)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Pictures, each under its number."""
        for i, image in enumerate(_tensor(img_tensor).unbind(0)):
            self.add_image("%s/%d" % (tag, i), image, global_step, dataformats=dataformats[1:])

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """A text, which is read as Markdown."""
        self._summary.text(tag, text_string, global_step or 0)

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """The settings of a run as a table in text, and its results as points."""
        rows = ["| %s | %s |" % pair for pair in hparam_dict.items()]
        self.add_text("hparams", "\n".join(["| name | value |", "|---|---|", *rows]), global_step)
        for tag, value in metric_dict.items():
            self.add_scalar(tag, value, global_step)

    def flush(self):
        """What was added is in the file already."""

    def close(self):
        self._summary.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
