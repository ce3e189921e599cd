"""Compares the program mask-rcnn with torchvision's network: same weights, same picture.

    compare_detection.py PROGRAM FOLDER

Writes weights into FOLDER as torchvision's users do, has the program search a small picture with
them, and prints a line of JSON: the number of objects, whether labels are the same, and the largest
differences of boxes (pixels), scores and masks.
"""

import json
import pathlib
import subprocess
import sys

import torch
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.ops import misc

# 40 x 56 pixels become 60 x 84, in single and in double precision, and are padded.
SHORT, LONG, PROPOSALS, OBJECTS = 60, 90, 50, 10


def network(layers, **limits):
    """Returns the network with random weights, of which none is as it begins."""
    torch.manual_seed(3)
    backbone = resnet_fpn_backbone(backbone_name=f"resnet{layers}", weights=None,
                                   norm_layer=misc.FrozenBatchNorm2d, trainable_layers=5)
    model = MaskRCNN(backbone, num_classes=91, **limits).eval()
    for name, tensor in model.state_dict().items():
        if name.endswith("running_var"):
            tensor.uniform_(0.5, 1.5)
        elif name.endswith("running_mean"):
            tensor.normal_(0, 0.1)
        elif name.endswith("bn3.weight"):
            tensor.uniform_(0, 0.3)
        elif name.endswith("bias"):
            tensor.normal_(0, 0.05)
        elif "cls_score" in name:
            tensor.mul_(100)  # so that it finds something
    return model


def search(program, layers, weights, result):
    subprocess.run([program, "--backbone", f"resnet{layers}", "--weights", weights, "--sizes", "40x56",
                    "--short-side", str(SHORT), "--long-side", str(LONG), "--proposals",
                    str(PROPOSALS), "--detections", str(OBJECTS), "--repeats", "1", "--threads", "1",
                    "--write-result", result], check=True, stdout=subprocess.DEVNULL)


def apart(ours, theirs):
    return (ours - theirs).abs().max().item() if ours.shape == theirs.shape else float("inf")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    torch.set_num_threads(1)
    model = network(50, min_size=SHORT, max_size=LONG, rpn_pre_nms_top_n_test=PROPOSALS,
                    rpn_post_nms_top_n_test=PROPOSALS, box_detections_per_img=OBJECTS)
    torch.save(model.state_dict(), folder / "weights.pth")
    search(program, 50, folder / "weights.pth", folder / "result.pt")
    ours = torch.load(folder / "result.pt")
    with torch.no_grad():
        [theirs] = model([ours["picture"]])
    print(json.dumps({"objects": len(theirs["labels"]),
                      "same_labels": torch.equal(ours["labels"], theirs["labels"]),
                      **{name: apart(ours[name], theirs[name])
                         for name in ("boxes", "scores", "masks")}}))


if __name__ == "__main__":
    main()
