"""Whole networks: exported programs in TH, and the same networks in PyTorch, ONNX Runtime and OpenVINO.

usage: programs.py TH_PROGRAMS [--filter=PART] [--batch=1,16] [--threads=1,2] [--rounds=3] [--seconds=1]
                   [--peers=eager,compiled,onnxruntime,openvino] [--folder=build/bench/networks]

Weights are random. All systems measure in turn, ROUNDS times, pinned to so many processors; a time is the median of the
rounds. A result that differs from PyTorch's by more than 1e-4 of its norm is marked. The table goes to standard output
and, unless a network, a batch or a number of threads was chosen, to bench/results/MACHINE/programs.tsv.
"""

import argparse
import logging
import math
import os
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import torch

from timing import seconds

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# --- networks ---------------------------------------------------------------------------------------

def vision(name):
    def build(batch):
        import torchvision
        return torchvision.models.get_model(name, weights=None), (torch.randn(batch, 3, 224, 224),)
    return build


class First(torch.nn.Module):
    """The first result of a network of transformers, of inputs by position."""

    def __init__(self, network, names):
        super().__init__()
        self.network, self.names = network, names

    def forward(self, *inputs):
        return self.network(**dict(zip(self.names, inputs)))[0]


def words(kind, length, **sizes):
    def build(batch):
        from transformers import AutoConfig, AutoModel
        config = AutoConfig.for_model(kind, **sizes)
        config.use_cache = False
        config._attn_implementation = "sdpa"
        return First(AutoModel.from_config(config), ["input_ids"]), (torch.randint(3, 1000, (batch, length)),)
    return build


class Decoder(torch.nn.Module):
    """One word after others, whose keys and values are in buffers that a run changes."""

    def __init__(self, network, batch, length):
        from transformers import StaticCache
        super().__init__()
        config = network.config
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        self.network, self.cache = network, StaticCache(config=config, max_cache_len=length + 1)
        self.cache.early_initialization(batch, heads, config.hidden_size // config.num_attention_heads, torch.float32, "cpu")
        for i, layer in enumerate(self.cache.layers):
            self.register_buffer(f"keys_{i}", layer.keys.normal_())
            self.register_buffer(f"values_{i}", layer.values.normal_())

    def forward(self, word, position):
        for i, layer in enumerate(self.cache.layers):
            layer.keys, layer.values = getattr(self, f"keys_{i}"), getattr(self, f"values_{i}")
            layer.cumulative_length = position.clone()
        return self.network(input_ids=word, past_key_values=self.cache, use_cache=True)[0]


def next_word(kind, length, **sizes):
    def build(batch):
        from transformers import AutoConfig, AutoModel
        config = AutoConfig.for_model(kind, **sizes)
        config._attn_implementation = "sdpa"
        return Decoder(AutoModel.from_config(config).eval(), batch, length), (torch.randint(3, 1000, (batch, 1)), torch.tensor(length))
    return build


def speech(batch):
    from transformers import AutoConfig, AutoModel
    network = AutoModel.from_config(AutoConfig.for_model("wav2vec2"))
    return First(network, ["input_values"]), (torch.randn(batch, 16000),)


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.cells, self.head = torch.nn.Embedding(1000, 256), torch.nn.LSTM(256, 512, 2, batch_first=True), torch.nn.Linear(512, 1000)

    def forward(self, x):
        return self.head(self.cells(self.words(x))[0][:, -1])


LLAMA = dict(vocab_size=32000, hidden_size=768, intermediate_size=2048, num_hidden_layers=12, num_attention_heads=12,
             num_key_value_heads=4)
NETWORKS = {
    "ResNet-18": vision("resnet18"), "ResNet-50": vision("resnet50"), "MobileNetV3": vision("mobilenet_v3_large"),
    "EfficientNet-B0": vision("efficientnet_b0"), "ConvNeXt-T": vision("convnext_tiny"), "ViT-B/32": vision("vit_b_32"),
    "Swin-T": vision("swin_t"), "BERT-base, 128 words": words("bert", 128), "GPT-2, 128 words": words("gpt2", 128),
    "Llama 110M, 1 word": words("llama", 1, **LLAMA), "Llama 110M, 128 words": words("llama", 128, **LLAMA),
    "GPT-2, word 129, cached": next_word("gpt2", 128), "Llama 110M, word 129, cached": next_word("llama", 128, **LLAMA),
    "LSTM, 64 words": lambda batch: (Recurrent(), (torch.randint(0, 1000, (batch, 64)),)), "Wav2Vec2, 1 s": speech,
}


# --- systems ----------------------------------------------------------------------------------------

class Th:
    """The program in a process of its own."""

    def __init__(self, program, path, threads):
        self.command = ["taskset", "-c", f"0-{threads - 1}", program, path + ".pt2", path + ".npz"]
        self.environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")

    def __call__(self, budget):
        line = subprocess.run(self.command + [str(budget)], env=self.environment, capture_output=True, text=True, check=True).stdout
        took, self.loading, self.memory, self.error = map(float, line.split())
        return took


class Called:
    """A function in this process."""

    def __init__(self, body, result):
        self.body, self.result = body, result

    def __call__(self, budget):
        with torch.no_grad():
            return seconds(self.body, budget)


def eager(module, inputs, path, threads):
    return Called(lambda: module(*inputs), lambda: module(*inputs))


def compiled(module, inputs, path, threads):
    torch.compiler.reset()
    fast = torch.compile(module)
    os.sched_setaffinity(0, range(os.cpu_count()))  # all may compile
    with torch.no_grad():
        fast(*inputs)
    os.sched_setaffinity(0, range(threads))
    return Called(lambda: fast(*inputs), lambda: fast(*inputs))


def onnx_file(module, inputs, path):
    if not os.path.exists(path + ".onnx"):
        with torch.no_grad():
            torch.onnx.export(module, inputs, path + ".onnx", dynamo=True, verbose=False, external_data=False)
    return path + ".onnx"


def onnxruntime(module, inputs, path, threads):
    import onnxruntime as library
    options = library.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    session = library.InferenceSession(onnx_file(module, inputs, path), options, providers=["CPUExecutionProvider"])
    given = {entry.name: t.numpy() for entry, t in zip(session.get_inputs(), inputs)}
    return Called(lambda: session.run(None, given), lambda: torch.from_numpy(session.run(None, given)[0]))


def openvino(module, inputs, path, threads):
    import openvino as library
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = library.compile_model(onnx_file(module, inputs, path), "CPU", settings).create_infer_request()
    given = [t.numpy() for t in inputs]
    return Called(lambda: request.infer(given), lambda: torch.from_numpy(request.infer(given)[0].copy()))


PEERS = {f.__name__: f for f in (eager, compiled, onnxruntime, openvino)}


# --- measuring --------------------------------------------------------------------------------------

def made(folder, name, batch):
    """The network and its inputs; writes the program and what PyTorch computes."""
    path = os.path.join(folder, "".join(c if c.isalnum() else "-" for c in f"{name} {batch}"))
    torch.manual_seed(0)
    module, inputs = NETWORKS[name](batch)
    module.eval()
    with torch.no_grad():
        for parameter in module.parameters():  # a result of zeros would compare nothing
            if not parameter.any():
                parameter.normal_(0, 0.02)
        wanted = module(*inputs)
        torch.export.save(torch.export.export(module, inputs), path + ".pt2")
    np.savez(path + ".npz", output0=wanted.numpy(), **{f"input{i}": t.numpy() for i, t in enumerate(inputs)})
    return path, module, inputs, wanted


def systems(options, path, module, inputs, threads):
    found = {"TH": Th(options.th_programs, path, threads)}
    for name in options.peers.split(","):
        try:
            found[name] = PEERS[name](module, inputs, path, threads)
        except Exception as error:
            print(f"{name} is left out: {str(error).strip().splitlines()[0][:100]}", file=sys.stderr)
    return found


def cell(name, system, took, wanted):
    if name == "TH":
        error = system.error
    else:
        with torch.no_grad():
            error = float((system.result() - wanted).double().norm()) / (float(wanted.double().norm()) or 1)
    return f"{took * 1e3:.2f}" + ("" if error <= 1e-4 else " (differs)")


def measured(options, name, network, batch, threads):
    os.sched_setaffinity(0, range(threads))
    torch.set_num_threads(threads)
    path, module, inputs, wanted = network
    found = systems(options, path, module, inputs, threads)
    times = {system: [] for system in found}
    for _ in range(options.rounds):
        for system, call in found.items():
            times[system].append(call(options.seconds))
    middle = {system: statistics.median(t) for system, t in times.items()}
    best = min((middle[p] for p in found if p != "TH"), default=math.nan)
    th = found["TH"]
    row = [name, str(batch), str(threads)] + [cell(s, found[s], middle[s], wanted) if s in found else "" for s in ["TH", *PEERS]]
    row += [f"{best / middle['TH']:.2f}", f"{middle.get('eager', math.nan) / middle['TH']:.2f}", f"{th.loading * 1e3:.0f}", f"{th.memory / 1e6:.0f}"]
    return row, best / middle["TH"]


def rows(options, name, batch):
    """The network's row for each number of threads, with how many times the best peer's time is TH's."""
    network = made(options.folder, name, batch)
    found = [(threads, *measured(options, name, network, batch, threads)) for threads in map(int, options.threads.split(","))]
    for ending in ".pt2", ".npz", ".onnx":
        if os.path.exists(network[0] + ending):
            os.remove(network[0] + ending)
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("th_programs")
    for name, default in dict(filter="", batch="1,16", threads="1,2", peers=",".join(PEERS), folder="build/bench/networks").items():
        parser.add_argument("--" + name, default=default)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    head = ["network", "batch", "threads", "TH", *PEERS, "best peer / TH", "eager / TH", "load", "memory"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    print("milliseconds of a run, and of loading; most resident memory of TH in MB\n" + "\n".join(lines), flush=True)
    means = {}
    for batch in map(int, options.batch.split(",")):
        for name in NETWORKS:
            if options.filter.lower() in name.lower():
                for threads, row, ratio in rows(options, name, batch):
                    lines.append("| " + " | ".join(row) + " |")
                    means.setdefault(threads, []).append(ratio)
                    print(lines[-1], flush=True)
    for threads, ratios in means.items():
        print(f"best peer / TH, geometric mean on {threads} thread{'s' * (threads > 1)}: {statistics.geometric_mean(ratios):.2f}")
    if not options.filter and options.batch == "1,16" and options.threads == "1,2":
        about = "Exported programs in TH and the same networks elsewhere: milliseconds of a run and of loading, and MB."
        subprocess.run([os.path.join(TOP, "bench/store"), "programs", about], input="\n".join(lines), text=True, check=True)


if __name__ == "__main__":
    started = time.time()
    main()
    print(f"measured in {time.time() - started:.0f} s", file=sys.stderr)
