"""Whole networks of libraries that people use, exported with random weights and compared with PyTorch.

usage: models.py TEST FOLDER [FAMILY | NAME]...
       TEST is the program test_ATen_programs of a build; FOLDER takes the files of one network at a time.
       Families: classification, segmentation, detection, video (of torchvision), transformers, timm.

Prints a line for each network: agrees, or what is missing or differs, or why PyTorch does not export it; and then how many
there are of each. Networks are small where their library lets them be. Random weights make some so sensitive that PyTorch's
own floats are far from its doubles: a network that differs is compared once more in double.
"""

import collections
import os
import subprocess
import sys
import warnings

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import array, tensors  # noqa: E402

warnings.filterwarnings("ignore")


# --- torchvision ------------------------------------------------------------------------------------

def of_torchvision(module, shape):
    import torchvision
    for name in torchvision.models.list_models(module):
        size = 299 if name == "inception_v3" else 224
        yield name, lambda name=name, size=size: (
            torchvision.models.get_model(name, weights=None, **({"weights_backbone": None} if shape == "wide" else {})),
            (torch.randn(1, 3, *{"image": (size, size), "wide": (96, 128)}[shape]),), {})


def classification():
    import torchvision
    yield from of_torchvision(torchvision.models, "image")


def segmentation():
    import torchvision
    yield from of_torchvision(torchvision.models.segmentation, "wide")


def video():
    import torchvision
    frames = {"mvit_v1_b": 16, "mvit_v2_s": 16, "s3d": 16}
    for name in torchvision.models.list_models(torchvision.models.video):
        size = 224 if name.startswith(("mvit", "swin", "s3d")) else 112
        yield name, lambda name=name, size=size: (
            torchvision.models.get_model(name, weights=None), (torch.randn(1, 3, frames.get(name, 8), size, size),), {})


# --- transformers -----------------------------------------------------------------------------------

SMALL = dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
             max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
GPT = dict(vocab_size=120, n_embd=32, n_layer=2, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=2)
GROUPED = dict(SMALL, num_key_value_heads=2, head_dim=8)
BART = dict(vocab_size=120, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=64,
            pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2)
VISION = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=32, patch_size=8)
SPEECH = dict(SMALL, conv_dim=(16, 16, 16), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 2),
              num_feat_extract_layers=3, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
STAGES = dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1])

# The architecture, its inputs, its configuration.
TRANSFORMERS = {
    "albert": ("text", dict(SMALL, embedding_size=16)), "bert": ("text", SMALL), "big_bird": ("text", dict(SMALL, attention_type="original_full")),
    "biogpt": ("text", SMALL), "bloom": ("text", dict(vocab_size=120, hidden_size=32, n_layer=2, n_head=4)),
    "camembert": ("text", SMALL), "canine": ("text", dict(SMALL, max_position_embeddings=256, local_transformer_stride=8)),
    "cohere": ("text", GROUPED), "convbert": ("text", dict(SMALL, embedding_size=32)),
    "ctrl": ("text", dict(GPT, dff=48)), "data2vec-text": ("text", SMALL), "deberta": ("text", SMALL), "deberta-v2": ("text", SMALL),
    "distilbert": ("text", dict(vocab_size=120, dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=64)),
    "electra": ("text", dict(SMALL, embedding_size=16)), "ernie": ("text", SMALL), "esm": ("text", dict(SMALL, mask_token_id=3)),
    "falcon": ("text", SMALL), "fnet": ("text", SMALL), "funnel": ("text", dict(vocab_size=120, d_model=32, block_sizes=[1, 1], n_head=4, d_head=8, d_inner=48)),
    "gemma": ("text", GROUPED), "gemma2": ("text", GROUPED), "glm": ("text", GROUPED), "gpt2": ("text", GPT),
    "gpt_bigcode": ("text", GPT), "gpt_neo": ("text", dict(vocab_size=120, hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], max_position_embeddings=64)),
    "gpt_neox": ("text", SMALL), "gptj": ("text", dict(GPT, rotary_dim=4)), "granite": ("text", GROUPED), "layoutlm": ("text", SMALL),
    "llama": ("text", GROUPED), "megatron-bert": ("text", SMALL), "mistral": ("text", GROUPED), "mobilebert": ("text", dict(SMALL, embedding_size=32, intra_bottleneck_size=32)),
    "modernbert": ("text", dict(SMALL, cls_token_id=1, sep_token_id=2)), "mpnet": ("text", SMALL), "mpt": ("text", dict(vocab_size=120, d_model=32, n_layers=2, n_heads=4, max_seq_len=64)),
    "nystromformer": ("text", SMALL), "olmo": ("text", GROUPED), "olmo2": ("text", GROUPED),
    "openai-gpt": ("text", GPT), "opt": ("text", dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, word_embed_proj_dim=32, max_position_embeddings=64)),
    "persimmon": ("text", SMALL), "phi": ("text", SMALL), "phi3": ("text", GROUPED), "qwen2": ("text", GROUPED), "qwen3": ("text", GROUPED),
    "rembert": ("text", dict(SMALL, input_embedding_size=16)), "roberta": ("text", SMALL), "roc_bert": ("text", SMALL), "roformer": ("text", dict(SMALL, embedding_size=32)),
    "smollm3": ("text", GROUPED), "splinter": ("text", SMALL), "squeezebert": ("text", dict(SMALL, embedding_size=32)), "stablelm": ("text", SMALL),
    "starcoder2": ("text", GROUPED), "xglm": ("text", dict(vocab_size=120, d_model=32, num_layers=2, attention_heads=4, ffn_dim=48, max_position_embeddings=64)),
    "xlm": ("text", dict(vocab_size=120, emb_dim=32, n_layers=2, n_heads=4, max_position_embeddings=64)),
    "xlm-roberta": ("text", SMALL), "xlnet": ("text", dict(vocab_size=120, d_model=32, n_layer=2, n_head=4, d_inner=48)), "yoso": ("text", dict(SMALL, use_expectation=True)),
    "bart": ("pair", BART), "blenderbot": ("pair", BART), "m2m_100": ("pair", BART), "marian": ("pair", BART), "mbart": ("pair", BART),
    "mvp": ("pair", BART), "pegasus": ("pair", BART), "plbart": ("pair", BART),
    "t5": ("pair", dict(vocab_size=120, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0)),
    "mt5": ("pair", dict(vocab_size=120, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0)),
    "beit": ("image", VISION), "bit": ("image", STAGES), "convnext": ("image", dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2)),
    "convnextv2": ("image", dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2)), "cvt": ("image", dict(embed_dim=[8, 16, 32], num_heads=[1, 2, 4], depth=[1, 1, 1])),
    "data2vec-vision": ("image", VISION), "deit": ("image", VISION), "dinov2": ("image", VISION), "dpt": ("image", dict(VISION, backbone_out_indices=[0, 1, 1, 1])),
    "efficientnet": ("image", dict(width_coefficient=0.5, depth_coefficient=0.2, hidden_dim=640)),
    "focalnet": ("image", dict(image_size=32, embed_dim=8, hidden_sizes=[8, 16], depths=[1, 1], focal_levels=[1, 1], focal_windows=[3, 3])),
    "glpn": ("image", dict(hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])), "hiera": ("image", dict(image_size=[32, 32], embed_dim=8, depths=[1, 1], num_heads=[1, 2], query_stride=[2, 2], num_query_pool=1, masked_unit_size=[2, 2])),
    "ijepa": ("image", VISION), "levit": ("image", dict(image_size=64, hidden_sizes=[16, 32, 48], depths=[1, 1, 1], num_attention_heads=[1, 2, 3])),
    "mobilenet_v1": ("image", dict(depth_multiplier=0.25)), "mobilenet_v2": ("image", dict(depth_multiplier=0.35)),
    "mobilevit": ("image", dict(image_size=64, hidden_sizes=[16, 20, 24], neck_hidden_sizes=[8, 8, 8, 16, 16, 16, 32])),
    "poolformer": ("image", dict(hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1])), "pvt": ("image", dict(image_size=32, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 4])),
    "regnet": ("image", dict(STAGES, groups_width=4)), "resnet": ("image", dict(STAGES, layer_type="basic")),
    "segformer": ("image", dict(hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 4])),
    "swin": ("image", dict(image_size=32, patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=4)),
    "swinv2": ("image", dict(image_size=32, patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=4)),
    "vit": ("image", VISION), "vit_msn": ("image", VISION), "yolos": ("image", dict(VISION, image_size=[32, 32])),
    "hubert": ("speech", SPEECH), "sew": ("speech", dict(SPEECH, squeeze_factor=2)), "unispeech": ("speech", SPEECH), "wav2vec2": ("speech", SPEECH),
    "wavlm": ("speech", SPEECH), "data2vec-audio": ("speech", SPEECH),
    "audio-spectrogram-transformer": ("spectrum", dict(VISION, max_length=64, num_mel_bins=32)),
    "whisper": ("whisper", dict(BART, num_mel_bins=20, max_source_positions=32, max_target_positions=32, suppress_tokens=None, begin_suppress_tokens=None)),
    "clip": ("both", dict(text_config=dict(SMALL), vision_config=dict(VISION), projection_dim=16)),
    "siglip": ("both", dict(text_config=dict(SMALL), vision_config=dict(VISION))),
}


def inputs_of(kind, config):
    words = torch.randint(3, 100, (2, 16))
    keep = torch.ones(2, 16, dtype=torch.long)
    keep[1, 11:] = 0
    image = torch.randn(1, 3, *([64, 64] if getattr(config, "image_size", 64) in (64, 224, [224, 224]) else [32, 32]))
    return {
        "text": dict(input_ids=words, attention_mask=keep),
        "pair": dict(input_ids=words, attention_mask=keep, decoder_input_ids=words[:, :7]),
        "image": dict(pixel_values=image),
        "speech": dict(input_values=torch.randn(1, 1600)),
        "spectrum": dict(input_values=torch.randn(1, 64, 32)),
        "whisper": dict(input_features=torch.randn(1, 20, 64), decoder_input_ids=words[:1, :7]),
        "both": dict(input_ids=words, attention_mask=keep, pixel_values=torch.randn(2, 3, 32, 32)),
    }[kind]


def transformers():
    from transformers import AutoConfig, AutoModel

    def build(name, kind, sizes):
        config = AutoConfig.for_model(name, **sizes)
        for cache in "use_cache", "return_dict":
            if hasattr(config, cache):
                setattr(config, cache, cache == "return_dict")
        return AutoModel.from_config(config), (), inputs_of(kind, config)
    for name, (kind, sizes) in TRANSFORMERS.items():
        yield name, lambda name=name, kind=kind, sizes=sizes: build(name, kind, sizes)


# --- timm -------------------------------------------------------------------------------------------

TIMM = """beit_base_patch16_224 bat_resnext26ts botnet26t_256 cait_xxs24_224 coat_tiny coatnet_nano_rw_224 convformer_s18 convit_tiny
convmixer_768_32 convnext_atto convnextv2_atto crossvit_tiny_240 cspresnet50 cs3darknet_s davit_tiny deit_tiny_patch16_224 densenet121
dla34 dpn48b eca_nfnet_l0 ecaresnet26t edgenext_xx_small efficientformer_l1 efficientformerv2_s0 efficientnet_b0 efficientnetv2_rw_t
efficientvit_b0 efficientvit_m0 ese_vovnet19b_dw fastvit_t8 fbnetc_100 focalnet_tiny_srf gcvit_xxtiny gernet_s ghostnet_100 ghostnetv2_100
halonet26t hardcorenas_a hgnet_tiny hiera_tiny_224 hrnet_w18_small inception_next_tiny inception_v4 lambda_resnet26t lcnet_050 legacy_senet154
levit_128s maxvit_rmlp_pico_rw_256 mixer_s16_224 mixnet_s mnasnet_small mobilenetv1_100 mobilenetv2_050 mobilenetv3_small_050
mobilenetv4_conv_small mobileone_s0 mobilevit_xxs mobilevitv2_050 mvitv2_tiny nest_tiny nf_regnet_b0 nfnet_f0 pit_ti_224 poolformer_s12
pvt_v2_b0 regnetx_002 regnety_002 repghostnet_050 repvgg_a0 repvit_m0_9 res2net50_14w_8s resmlp_12_224 resnest14d resnet10t resnetv2_50
resnext26ts rexnet_100 samvit_base_patch16 sebotnet33ts_256 sequencer2d_s skresnet18 starnet_s1 swin_tiny_patch4_window7_224
swinv2_tiny_window8_256 swinv2_cr_tiny_ns_224 tf_efficientnet_lite0 tiny_vit_5m_224 tinynet_e tnt_s_patch16_224 tresnet_m twins_svt_small
vgg11 visformer_tiny vit_tiny_patch16_224 volo_d1_224 xception41 xcit_nano_12_p16_224""".split()


def timm():
    import timm as library

    def build(name):
        model = library.create_model(name, pretrained=False).eval()
        return model, (torch.randn(1, *model.default_cfg["input_size"]),), {}
    for name in TIMM:
        yield name, lambda name=name: build(name)


# --- one network ------------------------------------------------------------------------------------

def export(path, module, args, kwargs):
    module.eval()
    for m in module.modules():  # as if it had been trained
        if isinstance(m, torch.nn.modules.batchnorm._BatchNorm) and m.running_mean is not None:
            m.running_mean.uniform_(-0.5, 0.5)
            m.running_var.uniform_(0.5, 2)
    with torch.no_grad():
        for parameter in module.parameters():
            if not parameter.any():
                parameter.normal_(0, 0.02)
        program = torch.export.export(module, args, kwargs)
        torch.export.save(program, path + ".pt2")
        results = module(*args, **kwargs)
    arrays = {f"input{i}": array(t) for i, t in enumerate(tensors((args, kwargs)))}
    arrays |= {f"output{i}": array(t) for i, t in enumerate(tensors(results))}
    np.savez(path + ".npz", **arrays)


def in_double(module, args, kwargs):
    def cast(t):
        return t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t
    return module.double(), tuple(map(cast, args)), {k: cast(t) for k, t in kwargs.items()}


def judged(test, folder, build, double=False):
    path = os.path.join(folder, "network")
    torch.manual_seed(0)
    try:
        export(path, *(in_double(*build()) if double else build()))
    except Exception as error:
        return "not exported", str(error).strip().split("\n")[0][:120]
    try:
        run = subprocess.run([test, path + ".pt2"], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "wrong", "runs too long"
    if run.returncode == 0:
        return "agrees", ""
    lines = [line for line in (run.stdout + run.stderr).split("\n") if "FAILED" not in line and "===" not in line]
    why = " ".join(" ".join(lines).split())[:400]
    if not double and "from the one expected" in why and judged(test, folder, build, True)[0] == "agrees":
        return "agrees", "in double; as floats " + why
    return "wrong", why


def main(test, folder, wanted):
    families = [classification, segmentation, video, transformers, timm]
    names = {f.__name__ for f in families}
    counts = collections.Counter()
    os.makedirs(folder, exist_ok=True)
    for family in families:
        if wanted and family.__name__ not in wanted and not set(wanted) - names:
            continue
        for name, build in family():
            if not wanted or family.__name__ in wanted or name in wanted:
                verdict, why = judged(test, folder, build)
                counts[verdict] += 1
                print(family.__name__, name, verdict, why, flush=True)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    return counts["wrong"] > 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]))
