"""Shapes of flexible bodies, and stiffening by large forces."""

from supple.reduction.assumed.functions import PolynomialShapes as PolynomialShapes
from supple.reduction.assumed.functions import UserShapes as UserShapes
from supple.reduction.assumed.shapes import SineShapes as SineShapes
from supple.reduction.shape_sets import AttachmentModes as AttachmentModes
from supple.reduction.shape_sets import CraigBampton as CraigBampton
from supple.reduction.shape_sets import NormalModes as NormalModes
from supple.reduction.shape_sets import PointLoadPattern as PointLoadPattern
from supple.reduction.shape_sets import StaticShapes as StaticShapes
from supple.reduction.shape_sets import WeightPattern as WeightPattern
from supple.reduction.stiffening import Axial as Axial
from supple.reduction.stiffening import SecondOrder as SecondOrder
from supple.reduction.stiffening import VonKarman as VonKarman
