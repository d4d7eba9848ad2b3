"""Records of contacts: integers of their elements, their numbers in the data, and the scratch of a pair."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.contact import surfaces
from supple.native.declare import kernel

CONTACT, TYRE, TYRE_SLIP = 20, 27, 28  # of a tyre its push with its slip, and the channel of what slip takes
# Element integers: nodes of A and B, place in the data, pair, kind of A's surface, last of three states of friction, or of a tyre (-1: none),
# law of friction without states or of a tyre, 1 if A's surface is turned inside out; behind those of fields.py 1 if the axis of friction goes with that of B's ring,
# and 1 if it is one of the balls of a line or surface
A, B, AT, PAIR, SURFACE, STATE, FRICTION, HOLLOW = range(1, 9)
WHEEL, ONE_OF_MANY = 11, 12
# Pairs: a ball of B and a surface of A; a ring of B and a plane of A; a core of B and a surface of A (cores.py); a cam of B and a plane of A; teeth of two gears
WITH_BALL, WITH_RING, WITH_CORE, WITH_CAM, WITH_TEETH = 0, 1, 2, 3, 4
# Data: pose of A's frame in node A, of B's in node B; sizes of A's surface; of B: radius of the ball, of the ring's section or around the core;
# radius of the ring's middle line, or largest distance of the core or the cam from its middle; of a ball f and g, where forces act f d + g from its centre
# towards A, at the distance d of A's surface from that; numbers of gears (gears.py), or of the core (cores.py)
POSE_A, POSE_B, SIZES, SMALL, LARGE, PART_WAY, REST_WAY, TEETH, DATA = starts(at.POSE, at.POSE, surfaces.SIZES, 1, 1, 1, 1, 16)
CORE = TEETH

# Scratch of a pair: gap, normal, point, velocity of B relative to A there, relative angular velocity, A's axes; then the
# centre of B, second derivatives of the distance in world axes, the way from the centre to the point, the number of the nearest part; of a
# ring e and its axis, of others the way from the centre of B to the nearest place, and how it moves (xx yy zz xy xz yz)
PAIR_ROW = 18
GAP, N, P, V, W, AXES, C, H, LEVER, PART, ARM, SLIDE, PAIR_SIZE = starts(1, 3, 3, 3, 3, 9, 3, 6, 1, 1, 3, 6)
AXIS = SLIDE


@kernel
def is_contact(kind):
    """True of elements with the record of a contact that push: contacts and tyres."""
    return kind == CONTACT or kind == TYRE


@kernel
def numbers(work):
    """The scratch of a pair as one row, the only entry of a tuple."""
    return (work.scratch[PAIR_ROW : PAIR_ROW + 7].reshape(42),)
