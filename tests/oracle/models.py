"""Whole networks of libraries that people use, exported with random weights and compared with PyTorch.

usage: models.py [--MODE]... TEST FOLDER [FAMILY | NAME]...
       TEST is the program test_ATen_programs of a build; FOLDER takes the files of one network at a time.
       Families: classification, segmentation, detection, video (of torchvision), transformers, cached (decoders with
       the keys and values of earlier tokens), others (the rest of transformers, as small as a guess makes them), audio,
       timm.
       Modes: exported (the default), core (after run_decompositions), dynamic (all sizes are free, and the batch is
       another than in the export, where PyTorch allows that), onnx (torch.onnx.export of today), older (the one of
       TorchScript); these two with the version of the operators behind them, too: onnx20, older13.

Prints a line for each network: agrees, or what is missing or differs, or why PyTorch does not export it; and then how many
there are of each. Networks are small where their library lets them be. Random weights make some so sensitive that PyTorch's
own floats are far from its doubles: a network that differs is compared once more in double.
"""

import collections
import inspect
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


def detection():
    """A list of pictures goes in, dictionaries come out."""
    import torchvision

    def build(name):
        sizes = {"min_size": 96, "max_size": 128} if "ssd" not in name else {}
        module = torchvision.models.get_model(name, weights=None, weights_backbone=None, **sizes)
        return module, ([torch.rand(3, 96, 128)],), {}
    for name in torchvision.models.list_models(torchvision.models.detection):
        yield name, lambda name=name: build(name)


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
    "deepseek_v3": ("text", dict(GROUPED, kv_lora_rank=16, q_lora_rank=16, qk_nope_head_dim=8, qk_rope_head_dim=8, v_head_dim=8, n_routed_experts=4, num_experts_per_tok=2, n_group=2, topk_group=1, first_k_dense_replace=1, moe_intermediate_size=24, num_key_value_heads=4)),
    "deepseek_v2": ("text", dict(GROUPED, kv_lora_rank=16, q_lora_rank=16, qk_nope_head_dim=8, qk_rope_head_dim=8, v_head_dim=8, n_routed_experts=4, num_experts_per_tok=2, n_group=2, topk_group=1, first_k_dense_replace=1, moe_intermediate_size=24, num_key_value_heads=4)),
    "codegen": ("text", dict(GPT, rotary_dim=4)), "xmod": ("text", dict(SMALL, default_language="en_XX")),
    "mixtral": ("text", dict(GROUPED, num_local_experts=4)),
    "qwen2_moe": ("text", dict(GROUPED, moe_intermediate_size=24, num_experts=4, num_experts_per_tok=2, shared_expert_intermediate_size=24)),
    "qwen3_moe": ("text", dict(GROUPED, moe_intermediate_size=24, num_experts=4, num_experts_per_tok=2)),
    "olmoe": ("text", dict(GROUPED, num_experts=4, num_experts_per_tok=2)),
    "mamba": ("text", dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, state_size=8)),
    "mamba2": ("text", dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, state_size=8, num_heads=8, head_dim=8, n_groups=1, chunk_size=8)),
    "falcon_mamba": ("text", dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, state_size=8)),
    "rwkv": ("text", dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, attention_hidden_size=32)),
    "gpt_oss": ("text", dict(GROUPED, num_local_experts=4, num_experts_per_tok=2)), "gemma3_text": ("text", GROUPED),
    "cohere2": ("text", GROUPED), "exaone4": ("text", GROUPED), "lfm2": ("text", GROUPED), "ernie4_5": ("text", GROUPED),
    "helium": ("text", GROUPED), "nemotron": ("text", GROUPED), "arcee": ("text", GROUPED), "glm4": ("text", GROUPED),
    "seed_oss": ("text", GROUPED), "olmo3": ("text", GROUPED), "bitnet": ("text", GROUPED), "diffllama": ("text", GROUPED),
    "phimoe": ("text", dict(GROUPED, num_local_experts=4)), "granitemoe": ("text", dict(GROUPED, num_local_experts=4)),
    "jetmoe": ("text", dict(GROUPED, kv_channels=8, num_local_experts=4)),
    "bamba": ("text", dict(GROUPED, mamba_n_heads=8, mamba_d_head=8, mamba_d_state=8, mamba_n_groups=1)),
    "recurrent_gemma": ("text", GROUPED), "jamba": ("text", dict(GROUPED, num_experts=2)),
    "xlstm": ("text", dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_heads=4)), "ibert": ("text", SMALL),
    "mra": ("text", SMALL), "tapas": ("text", SMALL), "nomic_bert": ("text", SMALL), "eurobert": ("text", GROUPED),
    "xlm-roberta-xl": ("text", SMALL),
    "longt5": ("pair", dict(vocab_size=120, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0, local_radius=4)),
    "umt5": ("pair", dict(vocab_size=120, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0)),
    "bigbird_pegasus": ("pair", dict(BART, attention_type="original_full")), "pegasus_x": ("pair", dict(BART, block_size=8)),
    "prophetnet": ("pair", dict(vocab_size=120, hidden_size=32, num_encoder_layers=2, num_decoder_layers=2, num_encoder_attention_heads=4, num_decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48)),
    "dinov3_vit": ("image", VISION), "dinov2_with_registers": ("image", VISION), "vitdet": ("image", VISION),
    "pvt_v2": ("image", {}), "swiftformer": ("image", {}),
    "swin2sr": ("image", dict(image_size=32, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4)),
    "hgnet_v2": ("image", {}), "textnet": ("image", {}), "wav2vec2-conformer": ("speech", SPEECH),
    "unispeech-sat": ("speech", SPEECH), "sew-d": ("speech", dict(SPEECH, squeeze_factor=2)),
}
DECODERS = """gpt2 llama mistral qwen2 qwen3 gemma gemma2 gpt_neox gptj gpt_neo opt bloom falcon phi phi3 olmo2 stablelm starcoder2 mpt
cohere granite glm smollm3 gpt_bigcode xglm biogpt persimmon""".split()


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


class Cached(torch.nn.Module):
    """The next token's logits from tokens, and the keys and values of those before."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, past):
        from transformers import DynamicCache
        cache = DynamicCache()
        for i, (key, value) in enumerate(past):
            cache.update(key, value, i)
        out = self.model(input_ids=tokens, past_key_values=cache, use_cache=True)
        return out.logits, [(layer.keys, layer.values) for layer in out.past_key_values.layers]


def cached():
    from transformers import AutoConfig, AutoModelForCausalLM

    def build(name):
        config = AutoConfig.for_model(name, **TRANSFORMERS[name][1])
        model = AutoModelForCausalLM.from_config(config).eval()
        tokens = torch.randint(3, 100, (2, 5))
        first = model(input_ids=tokens, use_cache=True).past_key_values
        past = [(layer.keys.detach(), layer.values.detach()) for layer in first.layers]
        return Cached(model), (tokens[:, :1], past), {}
    for name in DECODERS:
        yield name + "-cached", lambda name=name: build(name)


# What a configuration of any architecture is made small by.
GUESS = dict(SMALL, **{k: v for part in (GPT, BART) for k, v in part.items()}, d_ff=48, d_kv=8, num_layers=2, num_heads=4,
             n_layers=2, n_heads=4, dim=32, hidden_dim=48, ffn_dim=48, ffn_hidden_size=48, num_key_value_heads=2, head_dim=8,
             num_decoder_layers=2, num_encoder_layers=2, attention_heads=4, embed_dim=32, hidden_act="gelu",
             image_size=32, patch_size=8, projection_dim=16, emb_dim=32, moe_intermediate_size=24, num_experts=4,
             num_local_experts=4, n_routed_experts=4, num_experts_per_tok=2, type_vocab_size=2, decoder_dim=32,
             kv_lora_rank=16, q_lora_rank=16, qk_nope_head_dim=8, qk_rope_head_dim=8, v_head_dim=8, encoder_hidden_size=32,
             state_size=8, time_step_rank=4, conv_kernel=4, first_k_dense_replace=1, n_group=1, topk_group=1,
             mlp_dim=48, num_mel_bins=20, max_source_positions=32, max_target_positions=32)


def shrunk(kind, deep=0):
    """A small configuration of the class, and of those inside of it."""
    plain = kind()
    sizes = {k: v for k, v in GUESS.items() if hasattr(plain, k) and not isinstance(getattr(plain, k), (list, tuple, dict))
             and type(getattr(plain, k)) in (int, str, type(None))}
    for k, v in list(vars(plain).items()):
        if hasattr(v, "model_type") and deep < 3:
            sizes[k] = shrunk(type(v), deep + 1).to_dict()
    return kind(**sizes)


def inputs_for(model):
    """Inputs by the names that the model has for them."""
    names = inspect.signature(model.forward).parameters
    vision = getattr(model.config, "vision_config", model.config)
    size = getattr(vision, "image_size", None) or 64
    high, wide = size if isinstance(size, (list, tuple)) else (size, size)
    words = torch.randint(3, 100, (2, 16))
    all_inputs = {"input_ids": words, "attention_mask": torch.ones_like(words), "decoder_input_ids": words[:, :7],
                  "pixel_values": torch.randn(2, getattr(vision, "num_channels", 3), high, wide),
                  "input_values": torch.randn(2, 1600),
                  "input_features": torch.randn(2, 20, 64)}
    if "pixel_values" in names and "input_ids" not in names or "input_values" in names or "input_features" in names:
        del all_inputs["attention_mask"]
    return {k: v for k, v in all_inputs.items() if k in names}


def others():
    from transformers import AutoModel
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    def build(name):
        config = shrunk(CONFIG_MAPPING[name])
        for cache in "use_cache", "return_dict":
            if hasattr(config, cache):
                setattr(config, cache, cache == "return_dict")
        with torch.device("meta"):
            count = sum(p.numel() for p in AutoModel.from_config(config).parameters())
        if count > 60e6:
            raise ValueError(f"it has {count} parameters")
        model = AutoModel.from_config(config).eval()
        inputs = inputs_for(model)
        model(**inputs)
        return model, (), inputs
    for name in CONFIG_MAPPING:
        if name not in TRANSFORMERS:
            yield name, lambda name=name: build(name)


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
vgg11 visformer_tiny vit_tiny_patch16_224 volo_d1_224 xception41 xcit_nano_12_p16_224
cpubone_nano csatv2 cspnext_tiny efficientvim_m1 eva02_tiny_patch14_224 fasternet_t0 hieradet_small iformer_t inception_resnet_v2
inception_v3 lcnetv2_small legacy_seresnet18 legacy_xception lowformer_b0 mambaout_femto mobilenetv5_base naflexvit_base_patch16_gap
nextvit_small pnasnet5large qwen3_vit_88m rdnet_tiny selecsls42 shvit_s1 swiftformer_xs vitamin_small_224
vit_relpos_small_patch16_224 vit_small_r26_s32_224 eca_resnet33ts gcresnet33ts coatnet_nano_cc_224 gemma4_vit_167m deepseek_vit_412m
convnext_femto convnextv2_femto cait_xxs36_224 crossvit_9_240 cs3sedarknet_l deit3_small_patch16_224 densenetblur121d dla60_res2net
dpn68b ecaresnext26t_32x4d edgenext_x_small efficientnet_es efficientnet_cc_b0_4e efficientnet_lite0 efficientvit_b1 efficientvit_m1
fbnetv3_b flexivit_small ghostnetv3_100 haloregnetz_b hardcorenas_f hgnetv2_b0 hrnet_w18_small_v2 lamhalobotnet50ts_256
legacy_seresnext26_32x4d gmlp_s16_224 gmixer_24_224 mixnet_m mobilenetv3_rw mobilenet_edgetpu_v2_xs mobilevitv2_075 nf_ecaresnet26
pit_xs_224 regnetz_005 resnetaa50d resnetblur18 seresnext26t_32x4d semnasnet_050 spnasnet_100 tf_mixnet_s
tf_mobilenetv3_small_minimal_100 twins_pcpvt_small xcit_tiny_12_p8_224 resnest26d res2next50 selecsls60b skresnext50_32x4d vovnet39a
resnet14t seresnet33ts coatnext_nano_rw_224 maxxvit_rmlp_nano_rw_256 poolformerv2_s12 caformer_s18 repghostnet_058 mobileone_s1
vit_small_patch32_224 resnet18d darknet53 repvit_m1
botnet50ts_256 caformer_s36 cait_xs24_384 coat_lite_mini coatnet_0_224 convit_small convmixer_1024_20_ks9_p14
convnext_atto_ols convnextv2_nano cpubone_b0_bfrobust crossvit_9_dagger_240 cs3darknet_focus_l cs3sedarknet_x
csatv2_21m cspdarknet53 cspnext_l cspresnet50d cspresnet50w cspresnext50 darknet17 darknet21 darknetaa53
deit_small_distilled_patch16_224 deit3_medium_patch16_224 densenet161 densenet169 densenet201 dla102 dla102x dla46_c
dla46x_c dla60 dla60x dpn68 dpn92 eca_botnext26ts_256 ecaresnet101d_pruned ecaresnet50d ecaresnet50t ecaresnetlight
ecaresnext50t_32x4d edgenext_base efficientformer_l3 efficientformerv2_l efficientnet_b0_g8_gn efficientnetv2_rw_s
efficientvim_m1_dist efficientvit_b2 ese_vovnet19b_slim eva02_small_patch14_224 fasternet_s fastvit_mci0 fbnetv3_d
focalnet_tiny_lrf gc_efficientnetv2_rw_t gcresnet50t gcresnext26ts gcresnext50ts gcvit_tiny gernet_l ghostnet_050
ghostnetv2_130 ghostnetv3_050 gmixer_12_224 gmlp_ti16_224 halo2botnet50ts_256 halonet_h1 halonet50ts hardcorenas_b
hgnet_small hgnetv2_b1 hiera_small_224 hrnet_w18 iformer_l inception_next_atto lambda_resnet26rpt_256 lcnet_035
lcnetv2_base legacy_seresnet34 legacy_seresnet50 legacy_seresnext50_32x4d levit_128 lowformer_b1 mambaout_kobe
maxvit_nano_rw_256 maxxvit_rmlp_tiny_rw_256 maxxvitv2_nano_rw_256 mixer_s32_224 mixnet_l mnasnet_050
mobilenet_edgetpu_100 mobilenetv1_100h mobilenetv2_035 mobilenetv3_large_075 mobilenetv4_conv_aa_large
mobilenetv4_hybrid_large mobileone_s2 mobilevit_s mobilevitv2_100 mvitv2_small nest_small nf_ecaresnet50 nf_regnet_b1
nf_resnet26 nf_resnet50 nf_seresnet26 nf_seresnet50 nfnet_l0 pit_s_224 poolformer_s24 poolformerv2_s24 pvt_v2_b1
regnetv_040 regnetx_004 regnety_004 regnetz_040 repghostnet_080 repvgg_a1 repvit_m1_0 res2net50_26w_4s res2net50d
resmlp_24_224 resnest50d resnet18 resnet26 resnet26d resnet26t resnet32ts resnet33ts resnet34 resnet34d resnet50
resnet50c resnet50d resnet50s resnet50t resnet51q resnet61q resnetaa34d resnetaa50 resnetblur50 resnetblur50d
resnetrs50 resnetv2_18 resnext50_32x4d resnext50d_32x4d rexnet_130 rexnetr_100 sam2_hiera_small sedarknet21
sehalonet33ts selecsls42b selecsls60 semnasnet_075 sequencer2d_m seresnet18 seresnet34 seresnet50 seresnet50t
seresnetaa50d seresnext26d_32x4d seresnext26ts seresnext50_32x4d shvit_s2 skresnet34 skresnet50 skresnet50d starnet_s2
swiftformer_l1 swin_s3_tiny_224 swinv2_cr_tiny_224 tf_efficientnet_b0 tf_efficientnetv2_b0 tf_mixnet_l
tf_mobilenetv3_large_075 tiny_vit_11m_224 tinynet_a tnt_s_legacy_patch16_224 vit_dlittle_patch16_reg1_gap_256
vit_dpwee_patch16_reg1_gap_256 vit_dwee_patch16_reg1_gap_256 vit_little_patch16_reg1_gap_256
vit_medium_patch16_clip_224 vit_pe_core_small_patch16_384 vit_pwee_patch16_reg1_gap_256 vit_relpos_medium_patch16_224
vit_small_patch8_224 vit_srelpos_medium_patch16_224 vit_tiny_patch16_384 vit_wee_patch16_reg1_gap_256
vit_xsmall_patch16_clip_224 volo_d1_384 vovnet57a xception41p xception65 xception65p xcit_nano_12_p8_224""".split()


def timm():
    import timm as library

    def build(name):
        model = library.create_model(name, pretrained=False).eval()
        return model, (torch.randn(1, *model.default_cfg["input_size"]),), {}
    for name in TIMM + library.list_models("test_*"):
        yield name, lambda name=name: build(name)


# --- what has no library ----------------------------------------------------------------------------

class Spectrogram(torch.nn.Module):
    """Mel-scaled logarithms of powers, and their cosine transform."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(400))
        self.register_buffer("mels", torch.rand(201, 40))
        self.register_buffer("dct", torch.randn(40, 13))

    def forward(self, x):
        frames = torch.stft(x, 400, 160, window=self.window, center=True, pad_mode="reflect", return_complex=True)
        mel = torch.matmul(frames.abs().pow(2).transpose(1, 2), self.mels)
        decibels = 10 * torch.log10(mel.clamp(min=1e-10))
        return torch.maximum(decibels, decibels.amax(dim=(-2, -1), keepdim=True) - 80) @ self.dct


class Denoiser(torch.nn.Module):
    """A mask of a spectrum, made by a recurrent layer, and the sound of what is left."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.gru = torch.nn.GRU(33, 24, 2, batch_first=True, bidirectional=True)
        self.head = torch.nn.Linear(48, 66)

    def forward(self, x):
        spectrum = torch.stft(x, 64, 16, window=self.window, return_complex=True)
        hidden, _ = self.gru(torch.log1p(spectrum.abs()).transpose(1, 2))
        real, imaginary = self.head(hidden).transpose(1, 2).chunk(2, 1)
        mask = torch.complex(torch.tanh(real), torch.tanh(imaginary))
        cleaned = spectrum * mask * torch.exp(1j * spectrum.angle()) / 2
        return torch.istft(cleaned, 64, 16, window=self.window, length=x.shape[-1])


class Separator(torch.nn.Module):
    """Conv-TasNet: an encoder, dilated depthwise convolutions, a mask for each source, a decoder."""

    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.encoder = nn.Conv1d(1, 16, 8, stride=4, bias=False)
        self.blocks = nn.ModuleList(nn.Sequential(
            nn.Conv1d(16, 24, 1), nn.PReLU(), nn.GroupNorm(1, 24, eps=1e-8),
            nn.Conv1d(24, 24, 3, padding=d, dilation=d, groups=24), nn.PReLU(), nn.GroupNorm(1, 24, eps=1e-8),
            nn.Conv1d(24, 16, 1)) for d in (1, 2, 4))
        self.masks = nn.Conv1d(16, 32, 1)
        self.decoder = nn.ConvTranspose1d(16, 1, 8, stride=4, bias=False)

    def forward(self, x):
        code = self.encoder(x)
        h = code
        for block in self.blocks:
            h = h + block(h)
        masks = torch.sigmoid(self.masks(h)).unflatten(1, (2, 16))
        return self.decoder((masks * code.unsqueeze(1)).flatten(0, 1)).unflatten(0, (x.shape[0], 2))


class Vocoder(torch.nn.Module):
    """HiFi-GAN's generator, with normalized weights."""

    def __init__(self):
        super().__init__()
        nn, norm = torch.nn, torch.nn.utils.parametrizations.weight_norm
        self.first = norm(nn.Conv1d(20, 32, 7, padding=3))
        self.up = nn.ModuleList(norm(nn.ConvTranspose1d(32 >> i, 16 >> i, 8, 4, padding=2)) for i in range(2))
        self.blocks = nn.ModuleList(norm(nn.Conv1d(16 >> i, 16 >> i, 3, padding=3, dilation=3)) for i in range(2))
        self.last = norm(nn.Conv1d(8, 1, 7, padding=3))

    def forward(self, x):
        x = self.first(x)
        for up, block in zip(self.up, self.blocks):
            x = up(torch.nn.functional.leaky_relu(x, 0.1))
            x = x + block(torch.nn.functional.leaky_relu(x, 0.1))
        return torch.tanh(self.last(torch.nn.functional.leaky_relu(x)))


class Conformer(torch.nn.Module):
    """One block, with a mask of lengths and CTC's probabilities."""

    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.sub = nn.Conv2d(1, 8, 3, 2)
        self.first = nn.Sequential(nn.LayerNorm(72), nn.Linear(72, 96), nn.SiLU(), nn.Linear(96, 72))
        self.attention = nn.MultiheadAttention(72, 4, batch_first=True)
        self.norm = nn.LayerNorm(72)
        self.point, self.depth = nn.Conv1d(72, 144, 1), nn.Conv1d(72, 72, 15, padding=7, groups=72)
        self.batch, self.head = nn.BatchNorm1d(72), nn.Linear(72, 30)

    def forward(self, x, lengths):
        x = torch.relu(self.sub(x.unsqueeze(1))).transpose(1, 2).flatten(2)
        x = x + 0.5 * self.first(x)
        pad = torch.arange(x.shape[1])[None] >= ((lengths - 1) // 2)[:, None]
        y = self.norm(x)
        x = x + self.attention(y, y, y, key_padding_mask=pad, need_weights=False)[0]
        y = torch.nn.functional.glu(self.point(x.transpose(1, 2)), 1)
        x = x + torch.nn.functional.silu(self.batch(self.depth(y))).transpose(1, 2)
        return torch.nn.functional.log_softmax(self.head(x), -1), (lengths - 1) // 2


class Transducer(torch.nn.Module):
    """The joint network of an encoder and a predictor, which are LSTMs with projections."""

    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.encoder = nn.LSTM(20, 32, 2, batch_first=True)
        self.table, self.predictor = nn.Embedding(30, 16), nn.LSTM(16, 32, batch_first=True)
        self.joint = nn.Linear(32, 30)

    def forward(self, x, tokens, h, c):
        y, (h, c) = self.encoder(x, (h, c))
        z, _ = self.predictor(self.table(tokens))
        return self.joint(torch.tanh(y[:, :, None] + z[:, None])), h, c


def audio():
    sound = torch.randn(2, 1600)
    yield "spectrogram", lambda: (Spectrogram(), (sound,), {})
    yield "denoiser", lambda: (Denoiser(), (torch.randn(2, 640),), {})
    yield "separator", lambda: (Separator(), (torch.randn(2, 1, 400),), {})
    yield "vocoder", lambda: (Vocoder(), (torch.randn(1, 20, 9),), {})
    yield "conformer", lambda: (Conformer(), (torch.randn(2, 40, 20), torch.tensor([40, 31])), {})
    yield "transducer", lambda: (Transducer(), (
        torch.randn(2, 7, 20), torch.randint(0, 30, (2, 4)), torch.randn(2, 2, 32), torch.randn(2, 2, 32)), {})


# --- one network ------------------------------------------------------------------------------------

def widened(args, kwargs):
    """The inputs with a batch that is twice as large."""
    def twice(t):
        return torch.cat([t, t]) if isinstance(t, torch.Tensor) and t.dim() > 0 else t
    return torch.utils._pytree.tree_map(twice, (args, kwargs))


def freed(values):
    """All sizes are free where PyTorch finds that they can be."""
    def free(t):
        return {d: torch.export.Dim.AUTO for d in range(t.dim())} if isinstance(t, torch.Tensor) else None
    return torch.utils._pytree.tree_map(free, values)


class Named(torch.nn.Module):
    """Takes its named inputs by their positions, as the older exporter needs it."""

    def __init__(self, module, names):
        super().__init__()
        self.module, self.names = module, names

    def forward(self, *values):
        count = len(values) - len(self.names)
        return self.module(*values[:count], **dict(zip(self.names, values[count:])))


def written(path, mode, module, args, kwargs):
    """Writes the program; returns inputs, and what PyTorch computes from them: with the exported program, which a few
    networks make another of than they are themselves (a mask that is left out when nothing is masked)."""
    exporter = mode.rstrip("0123456789")
    if exporter in ("onnx", "older"):
        if exporter == "older":
            module, args, kwargs = Named(module, list(kwargs)).eval(), (*args, *kwargs.values()), {}
        options = {"opset_version": int(mode[len(exporter):])} if mode != exporter else {}
        torch.onnx.export(module, args, path + ".onnx", kwargs=kwargs, dynamo=exporter == "onnx", verbose=False,
                          **options, **({"external_data": False} if exporter == "onnx" else {}))
        return args, kwargs, module(*args, **kwargs)
    if mode == "dynamic":
        names = list(inspect.signature(module.forward).parameters)
        shapes = {**dict(zip(names, freed(args))), **freed(kwargs)}
        program = torch.export.export(module, args, kwargs, dynamic_shapes=shapes)
        wide = widened(args, kwargs)
        try:
            program.module()(*wide[0], **wide[1])
            args, kwargs = wide
        except Exception:
            pass
    else:
        program = torch.export.export(module, args, kwargs)
    if mode == "core":
        program = program.run_decompositions()
    torch.export.save(program, path + ".pt2")
    return args, kwargs, program.module()(*args, **kwargs)


def export(path, mode, module, args, kwargs):
    module.eval()
    for m in module.modules():  # as if it had been trained
        if isinstance(m, torch.nn.modules.batchnorm._BatchNorm) and m.running_mean is not None:
            m.running_mean.uniform_(-0.5, 0.5)
            m.running_var.uniform_(0.5, 2)
    with torch.no_grad():
        for parameter in module.parameters():
            if not parameter.any():
                parameter.normal_(0, 0.02)
        args, kwargs, results = written(path, mode, module, args, kwargs)
    arrays = {f"input{i}": array(t) for i, t in enumerate(tensors((args, kwargs)))}
    arrays |= {f"output{i}": array(t) for i, t in enumerate(tensors(results))}
    np.savez(path + ".npz", **arrays)


def in_double(module, args, kwargs):
    def cast(t):
        return t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t
    return module.double(), tuple(map(cast, args)), {k: cast(t) for k, t in kwargs.items()}


def judged(test, folder, mode, build, double=False):
    path = os.path.join(folder, "network")
    suffix = ".onnx" if mode.startswith(("onnx", "older")) else ".pt2"
    torch.manual_seed(0)
    try:
        export(path, mode, *(in_double(*build()) if double else build()))
    except Exception as error:
        return "not exported", str(error).strip().split("\n")[0][:120]
    try:
        run = subprocess.run([test, path + suffix], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "wrong", "runs too long"
    if run.returncode == 0:
        return "agrees", ""
    lines = [line for line in (run.stdout + run.stderr).split("\n") if "FAILED" not in line and "===" not in line]
    why = " ".join(" ".join(lines).split())[:400]
    if not double and "from the one expected" in why and judged(test, folder, mode, build, True)[0] == "agrees":
        return "agrees", "in double; as floats " + why
    return "wrong", why


def main(modes, test, folder, wanted):
    families = [classification, segmentation, detection, video, transformers, cached, others, audio, timm]
    names = {f.__name__ for f in families}
    counts = collections.Counter()
    os.makedirs(folder, exist_ok=True)
    for family in families:
        if wanted and family.__name__ not in wanted and not set(wanted) - names:
            continue
        for name, build in family():
            if not wanted or family.__name__ in wanted or name in wanted:
                for mode in modes or ["exported"]:
                    verdict, why = judged(test, folder, mode, build)
                    counts[verdict] += 1
                    print(family.__name__, name, mode, verdict, why, flush=True)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    return counts["wrong"] > 0


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(given) < 2:
        sys.exit(__doc__)
    sys.exit(main([a[2:] for a in sys.argv[1:] if a.startswith("--")], os.path.abspath(given[0]), given[1], given[2:]))
