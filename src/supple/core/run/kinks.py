"""Kinks of force laws within a step: a step that passes one is repeated so that it ends there.

Laws have branches: a stop or a contact touches or not, a controller saturates or not. A step over such a kink would lose the method's order.
A part of a step is quiet if bounds of ``reach`` keep every law on its branch; other parts are halved. Ropes over pulleys, dampers
between points, and formulas, which may bend where it cannot be told beforehand, are sampled at eighths of the step as well, and so are contacts that
touch already: bounds tell that no other one begins to touch, however thin the body and large the step.

Of the many balls of a line or surface one or the other may touch or part all the time. Where kinks come in a row, steps do not end there: error
control sees forces that are there at an end of the step. Balls that begin to touch and still close at its end, that touch at both, or that part at its
start, are left out of the search. Others may have passed through a body, or have touched within the step: they are looked for as any contact.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base import opcodes as op
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import point
from supple.core.bodies import tree
from supple.core.contact import lines, pairs
from supple.core.forces import control, forces, joint_forces, rope
from supple.core.forces import point_spring as line
from supple.core.forces.callback import flat
from supple.core.forces.laws import STRAIGHT
from supple.core.forces.signals import COEFFICIENTS, COUNT, OPERATIONS, PIECES, evaluate, piece
from supple.core.run import line_search, reach
from supple.core.run import step as st
from supple.core.run.gaps import contact_is_quiet, place_noise
from supple.core.run.reach import COARSE, apart
from supple.core.run.touches import has_contacts
from supple.native.declare import IVEC, REAL, TRUTH, VEC, kernel, shared

SKIPPED = 1e-4  # first fraction of a step: what happens there belongs to the landing before it
PER_KINK, ROW = 8, 56  # steps for each kink on which one ends, and how many of them are owed where balls of lines and surfaces are left out
LEAST, MOST = 2.0**-40, 400  # shortest part; behind so many looks a state that stays at a kink is looked at in COARSE ones
SAMPLED = 0.125  # longest part between samples of laws without bounds
RESERVE = 2.0  # for the second derivative of a signal within a part
INSIDE = 0.999  # of a part: signals may jump at the ends of steps
AGAIN, FAR = 1.0 - 1e-6, 0.9  # fractions of a step that is repeated once, and again, before which a touch is not the one it was repeated for
NOW = 1e-7  # fraction of a step: contacts that close before it touch already
OPEN, AWAY = 0.0, 2.0  # marks of contacts that do not touch where a search begins
CLEAR = 4.0  # times the rounding of a gap, beyond which a contact is open
LAST, BRIEF = 4.0, 1e5  # least steps: a step up to so short is not cut; up to which steps that are cut one after the other double
SHORT = 2.0**-50  # shortest part of the skipped one
TURNS = 200.0  # rad in a step with events of points: there is room for so many crossings


@kernel
def branches_at(m, w, r, t0, h, s):
    """Number of the branches of force laws at the fraction s of the step."""
    st.state_at(m, r, s)
    if forces.branches_move(m):
        tree.poses(m, w, r.qt)
        tree.motion(m, w, r.ut, r.ut)  # accelerations do not enter
    return forces.branches(m, w, t0 + s * h, r.qt, r.ut, r.zt)


@kernel
def law_is_quiet(m, law, x, reached, size, half):
    """True if a law of springs or dampers (core/forces/laws.py) keeps its branch over ``reached`` to both sides of x, made of numbers of the given size."""
    if law == 0:
        return True
    k = law - 1
    numbers, integers = m.data[m.signal[k, at.SIGNAL_AT] :], m.program[m.signal[k, at.SIGNAL_PROGRAM] :]
    if m.signal[k, at.SIGNAL_CODE] == op.PROGRAM:
        count = integers[COUNT]
        for i in range(integers[OPERATIONS + 2 * count]):
            if not apart(x, reached, numbers[count + i], size, half):
                return False
        return True
    n = integers[PIECES]
    first = piece(numbers, n, x)
    if integers[COEFFICIENTS] > STRAIGHT:  # kinks at the ends only
        return n < 2 or (apart(x, reached, numbers[1], size, half) and apart(x, reached, numbers[n - 1], size, half))
    before = first == 0 or apart(x, reached, numbers[first], size, half)
    return before and (first == n - 1 or apart(x, reached, numbers[first + 1], size, half))


@kernel
def signal_spread(m, w, k, t, span, place, rate):
    """Largest change of place times a signal and rate times its slope within ``span`` (s) of t."""
    total = 0.0
    for i in range(3):
        _, d, c = evaluate(m, w, k, t + (i - 1) * INSIDE * span)
        total = max(total, abs(place * d) + abs(rate * c))
    return RESERVE * total * span


@kernel
def joint_is_quiet(m, w, r, e, t, h, c, half):
    """True if the law of an element on one joint coordinate keeps its branch in a part of the step around the time t."""
    el, p = m.element[e], m.coef[e]
    g, kind = p[joint_forces.RATIO], el[at.KIND]
    x, dx = reach.within(r.px[el[joint_forces.U]], r.about, c, half)
    v, dv = reach.within(r.pu[el[joint_forces.U]], r.about, c, half)
    x, dx, v, dv = g * (r.q[el[joint_forces.Q]] + x), abs(g) * dx, g * v, abs(g) * dv
    if kind == joint_forces.JOINT_LAW:
        rest = p[joint_forces.REST]
        damper, fast = el[joint_forces.DAMPER], abs(g * r.pu[el[joint_forces.U], 0])
        if not law_is_quiet(m, el[joint_forces.SPRING], x - rest, dx, abs(x) + abs(rest), half):
            return False
        return is_sampled(m, damper) or law_is_quiet(m, damper, v, dv, fast, half)
    if kind == joint_forces.JOINT_STOP:
        lower, upper = p[joint_forces.LOWER], p[joint_forces.UPPER]
        if not (apart(x, dx, lower, 0.0, half) and apart(x, dx, upper, 0.0, half)):
            return False
        side = 1.0 if x > upper else -1.0
        damped = p[joint_forces.STOP_DAMPING]
        return lower <= x <= upper or apart(damped * side * v, abs(damped) * dv, -1.0, 0.0, half)
    kp, ki, kd, state = p[joint_forces.KP], p[joint_forces.KI], p[joint_forces.KD], el[joint_forces.STATE]
    z, dz = reach.within(r.pz[state], r.about, c, half)
    target, rate, _ = evaluate(m, w, el[joint_forces.SIGNAL], t)
    raw = kp * (target - x) + ki * z + kd * (rate - v)
    wide = abs(kp) * dx + abs(ki) * dz + abs(kd) * dv + signal_spread(m, w, el[joint_forces.SIGNAL], t, half * h, kp, kd)
    size = abs(kp) * (abs(target) + abs(x)) + abs(ki * z) + abs(kd) * (abs(rate) + abs(v))
    return apart(abs(raw), wide, p[joint_forces.LIMIT], size, half)


@kernel
def is_sampled(m, law):
    """True if a law is a formula: of its kinks those are known that are zeros of linear parts."""
    return law > 0 and m.signal[law - 1, at.SIGNAL_CODE] == op.PROGRAM


@kernel
def control_is_quiet(m, w, r, e, t, h, c, half):
    """True if no effort of a linear controller begins or ceases to be cut in a part of the step."""
    el, term, factor, d, b = m.element[e], m.term, m.factor, m.data, flat(w)[0]
    n, many, o, s = el[control.MEASURED], el[control.EFFORTS], el[control.TERM], el[control.PROGRAM]
    kq, kv, cz, _, _, _, _, limit = control.places(el)
    control.efforts(m, w, e, t, r.qt, r.ut, r.zt, b)
    for i in range(many):
        if not math.isfinite(d[limit + i]):
            continue
        wide, size = signal_spread(m, w, m.program[s + many + n + i], t, half * h, 1.0, 0.0), 0.0
        for j in range(n):
            u, f, p, v = term[o + j, at.TERM_U], abs(factor[o + j]), abs(d[kq + i * n + j]), abs(d[kv + i * n + j])
            wide += f * p * reach.within(r.px[u], r.about, c, half)[1] + f * v * reach.within(r.pu[u], r.about, c, half)[1]
            wide += signal_spread(m, w, m.program[s + many + j], t, half * h, p, v)
            size += f * p * abs(r.qt[term[o + j, at.TERM_Q]]) + f * v * abs(r.ut[u])
        for l in range(el[control.STATES]):
            wide += abs(d[cz + i * el[control.STATES] + l]) * reach.within(r.pz[el[control.STATE] + l], r.about, c, half)[1]
        if not apart(abs(b[2 * n + i]), wide, d[limit + i], size, half):
            return False
    return True


@kernel
def distance(m, w, r, first, second, a, b, c, half):
    """Distance in the middle of a part of points a and b of two nodes, its largest change within the part, and the size of what it is made of.

    Bounded by the way of one as seen from the other, or, if that is short, by the rate and second derivative of the distance.
    """
    i = reach.common_column(m, first, second)  # what moves both ends does not change the length
    bend = reach.bend_of_point(m, w, r, first, i, a[0], a[1], a[2], half)
    bend += reach.bend_of_point(m, w, r, second, i, b[0], b[1], b[2], half)
    au, av, aw = reach.velocity_behind(m, w, r, first, i, a[0], a[1], a[2])
    bu, bv, bw = reach.velocity_behind(m, w, r, second, i, b[0], b[1], b[2])
    x, y, z, u, v, s = b[0] - a[0], b[1] - a[1], b[2] - a[2], bu - au, bv - av, bw - aw
    length, speed = math.sqrt(x * x + y * y + z * z), math.sqrt(u * u + v * v + s * s)
    reached = speed * half + 0.5 * bend * half * half
    if reached < 0.5 * length:
        fast, rate = speed + bend * half, abs(x * u + y * v + z * s) / length
        reached = min(reached, rate * half + 0.5 * (bend + fast * fast / (length - reached)) * half * half)
    return length, reached, length + abs(a[0]) + abs(a[1]) + abs(a[2])


@kernel
def line_is_quiet(m, w, r, e, c, half):
    """True if the laws of a spring between two points keep their branch; the workspace has the middle of the part."""
    el, p = m.element[e], m.coef[e]
    a, b = line.POINT_A, line.POINT_B
    ax, ay, az, _, _, _ = point(w, el[line.A], p[a], p[a + 1], p[a + 2])
    bx, by, bz, _, _, _ = point(w, el[line.B], p[b], p[b + 1], p[b + 2])
    length, reached, size = distance(m, w, r, el[line.A], el[line.B], (ax, ay, az), (bx, by, bz), c, half)
    return law_is_quiet(m, el[line.SPRING], length - p[line.LENGTH], reached, size + p[line.LENGTH], half)


@kernel
def is_straight(m, e):
    """True if element e is a rope from one point to another, without pulleys and drums."""
    el = m.element[e]
    if el[at.KIND] != rope.ROPE or el[rope.COUNT] != 2 or el[rope.DRUM_U] >= 0 or el[rope.DRUM_U + 1] >= 0:
        return False
    return rope.number(m, e, 0, rope.RADIUS) == 0.0 and rope.number(m, e, 1, rope.RADIUS) == 0.0


@kernel
def rope_is_quiet(m, w, r, e, c, half):
    """True if a straight rope stays taut or slack; the workspace has the middle of the part."""
    i, j, p = rope.node_of(m, e, 0), rope.node_of(m, e, 1), at.POSE_P
    ax, ay, az, _, _, _ = point(w, i, rope.number(m, e, 0, p), rope.number(m, e, 0, p + 1), rope.number(m, e, 0, p + 2))
    bx, by, bz, _, _, _ = point(w, j, rope.number(m, e, 1, p), rope.number(m, e, 1, p + 1), rope.number(m, e, 1, p + 2))
    length, reached, size = distance(m, w, r, i, j, (ax, ay, az), (bx, by, bz), c, half)
    return apart(length, reached, m.coef[e, rope.LENGTH], size, half)


@shared(TREE, WORK, st.RUN, REAL, REAL, REAL, REAL, gives=TRUTH)
def is_quiet(m, w, r, t, h, c, half):
    """True if no law of a force changes its branch in a part of the step around the time t."""
    moves, controls = False, False
    for e in range(m.element.shape[0]):
        kind = m.element[e, at.KIND]
        moves = moves or kind == line.LINE_LAW or is_straight(m, e) or pairs.is_contact(kind) or kind == lines.LINE_CONTACT
        controls = controls or kind == control.LINEAR_CONTROL
        if kind == joint_forces.JOINT_STOP or kind == joint_forces.PID or kind == joint_forces.JOINT_LAW:
            if not joint_is_quiet(m, w, r, e, t, h, c, half):
                return False
    if controls:
        st.state_at(m, r, c)
        for e in range(m.element.shape[0]):
            if m.element[e, at.KIND] == control.LINEAR_CONTROL and not control_is_quiet(m, w, r, e, t, h, c, half):
                return False
    if moves:
        reach.go_along(m, w, r, c, half)
        for e in range(m.element.shape[0]):
            if m.element[e, at.KIND] == line.LINE_LAW and not line_is_quiet(m, w, r, e, c, half):
                return False
            if is_straight(m, e) and not rope_is_quiet(m, w, r, e, c, half):
                return False
            if pairs.is_contact(m.element[e, at.KIND]) and w.touched[e] == 0.0 and not contact_is_quiet(m, w, r, e, half):
                return False
            if m.element[e, at.KIND] == lines.LINE_CONTACT and not line_search.line_is_quiet(m, w, r, e, half, OPEN):
                return False
    return True


@kernel
def has_samples(m):
    """True if a law has kinks that no bound is known for."""
    for e in range(m.element.shape[0]):
        el = m.element[e]
        if el[at.KIND] == rope.ROPE or (el[at.KIND] == line.LINE_LAW and (el[line.DAMPER] > 0 or is_sampled(m, el[line.SPRING]))):
            return True
        if el[at.KIND] == joint_forces.JOINT_LAW:
            if is_sampled(m, el[joint_forces.SPRING]) or is_sampled(m, el[joint_forces.DAMPER]):
                return True
    return False


@kernel
def may_close(m):
    """True if the model has contacts that a search within a step looks for."""
    return has_contacts(m) or line_search.has_lines(m)


@kernel
def closes(m, w, e, h):
    """2 if contact e is open at the state in the workspace, 1 if it touches and closes in a step of size h, but for rounding, 0 otherwise."""
    pairs.locate(m, w, e)
    g = pairs.numbers(w)[0]
    rate = g[pairs.N] * g[pairs.V] + g[pairs.N + 1] * g[pairs.V + 1] + g[pairs.N + 2] * g[pairs.V + 2]
    if g[pairs.GAP] + pairs.shallow(m, e) > CLEAR * place_noise(m, w, e):
        return 2
    return 1 if rate * h < -place_noise(m, w, e) else 0


@kernel
def leave_out(m, w, r, ints, t0, h, least):
    """Write -1 of each ball of a line or surface that a search within the step leaves out, 0 of other contacts."""
    some = False
    for e in range(m.element.shape[0]):
        w.touched[e] = 0.0
        some = some or (pairs.is_contact(m.element[e, at.KIND]) and m.element[e, pairs.ONE_OF_MANY] == 1)
    ints[st.CROWDED] = max(ints[st.CROWDED] - 1, 0)
    if not some or ints[st.CROWDED] < ROW:
        return
    branches_at(m, w, r, t0, h, least)
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]) and m.element[e, pairs.ONE_OF_MANY] == 1:
            w.touched[e] = closes(m, w, e, h)
    branches_at(m, w, r, t0, h, 1.0)
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]) and m.element[e, pairs.ONE_OF_MANY] == 1:
            begin, end = w.touched[e], closes(m, w, e, h)
            seen = end == 1 if begin == 2.0 else (end < 2 or begin == 0.0)
            w.touched[e] = -1.0 if seen else 0.0


@kernel
def note_touches(m, w):
    """Write which contacts touch at the state in the workspace; True if one does."""
    some = False
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]) and w.touched[e] >= 0.0:
            pairs.locate(m, w, e)
            w.touched[e] = 1.0 if pairs.numbers(w)[0][pairs.GAP] + pairs.shallow(m, e) < 0.0 else 0.0
            some = some or w.touched[e] == 1.0
        elif m.element[e, at.KIND] == lines.LINE_CONTACT and line_search.mark_touching(m, w, e):
            some = True
    return some


@kernel
def may_touch(m, w, r, c, half):
    """True if a contact that is open may begin to touch in a part of the step."""
    if may_close(m):
        reach.go_along(m, w, r, c, half)
        for e in range(m.element.shape[0]):
            if pairs.is_contact(m.element[e, at.KIND]) and w.touched[e] == 0.0 and not contact_is_quiet(m, w, r, e, half):
                return True
            if m.element[e, at.KIND] == lines.LINE_CONTACT and not line_search.line_is_quiet(m, w, r, e, half, OPEN):
                return True
    return False


@kernel
def left_behind(m, w):
    """True if a contact that was noted as touching is open at the state in the workspace."""
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]) and w.touched[e] == 1.0:
            pairs.locate(m, w, e)
            g = pairs.numbers(w)[0]
            if g[pairs.GAP] + pairs.shallow(m, e) > CLEAR * place_noise(m, w, e):
                return True
        if m.element[e, at.KIND] == lines.LINE_CONTACT and line_search.line_left_behind(m, w, e):
            return True
    return False


@kernel
def note_open(m, w, r, t0, h, least):
    """Write of each contact at the fraction ``least`` of the step 2 if it is open, 1 if it touches and is closing, 0 otherwise."""
    branches_at(m, w, r, t0, h, least)
    for e in range(m.element.shape[0]):
        if pairs.is_contact(m.element[e, at.KIND]) and w.touched[e] >= 0.0:
            w.touched[e] = closes(m, w, e, h)
        elif m.element[e, at.KIND] == lines.LINE_CONTACT:
            line_search.mark_open(m, w, e)


@kernel
def passed_early(m, w, r, t0, h, least):
    """Fraction up to which a step may go whose skipped part would pass through a body, above 1 otherwise.

    A contact that has just begun to touch is still closing and may be behind a thin body after the skipped part; one that is open
    may begin to touch in it. Such a step is repeated with that part of its size.
    """
    note_open(m, w, r, t0, h, least)
    s, found = SKIPPED, 2.0
    branches_at(m, w, r, t0, h, s)
    if left_behind(m, w):
        while s > least and left_behind(m, w):
            s *= 0.5
            branches_at(m, w, r, t0, h, s)
        found = s
    return min(found, first_touch(m, w, r, t0, h, least, SKIPPED))


@kernel
def first_touch(m, w, r, t0, h, begin, end):
    """Fraction, from ``begin`` up to ``end``, at which a contact that was open at the start of the step first touches; above 1 if none does.

    After many looks it is the fraction up to which surely none does.
    """
    a, width, looks = begin, end, 0
    while a < end:
        looks += 1
        width = min(width, end - a)
        c, half, quiet, touches = a + 0.5 * width, 0.5 * width, True, False
        reach.go_along(m, w, r, c, half)
        for e in range(m.element.shape[0]):
            if pairs.is_contact(m.element[e, at.KIND]) and w.touched[e] == 2.0 and not contact_is_quiet(m, w, r, e, half):
                g = pairs.numbers(w)[0]
                quiet, touches = False, touches or abs(g[pairs.GAP] + pairs.shallow(m, e)) <= 2.0 * place_noise(m, w, e)
            elif m.element[e, at.KIND] == lines.LINE_CONTACT and not line_search.line_is_quiet(m, w, r, e, half, AWAY):
                quiet, touches = False, touches or line_search.at_touch(m, w, e)
        if touches:
            return c
        if quiet:
            a, width = a + width, 2.0 * width
        elif width <= SHORT:
            return c
        elif looks > MOST and a > begin:
            return a
        else:
            width = half
    return 2.0


@shared(TREE, WORK, st.RUN, REAL, REAL, REAL, gives=REAL)
def first_kink(m, w, r, t0, h, least):
    """Fraction of the step behind the first kink of a force law, above 1 if there is none; contacts that close before ``least`` touch already."""
    a, looks = SKIPPED, 0
    if may_close(m):
        early = passed_early(m, w, r, t0, h, least)
        if early < 1.0:
            return early
    before = branches_at(m, w, r, t0, h, a)
    touches = note_touches(m, w)  # first: it tells is_quiet which contacts are open
    longest = SAMPLED if touches or has_samples(m) else 1.0
    width = longest
    while a < 1.0:
        looks += 1
        width = min(width, longest, 1.0 - a)
        c, half = a + 0.5 * width, 0.5 * width
        quiet, b = is_quiet(m, w, r, t0 + c * h, h, c, half), min(a + width, 1.0)
        if not quiet and looks > MOST and width <= COARSE and may_touch(m, w, r, c, half):
            if looks <= 2 * MOST and width > LEAST:
                width = half
                continue
            if a > 2.0 * SKIPPED:
                return a  # up to there nothing is passed through
        if not quiet and width > (LEAST if looks < MOST else COARSE):
            width = half
            continue
        if (not quiet or longest < 1.0) and branches_at(m, w, r, t0, h, b) != before:
            for _ in range(48):
                middle = 0.5 * (a + b)
                if branches_at(m, w, r, t0, h, middle) == before:
                    a = middle
                else:
                    b = middle
            return b
        a, width = b, 2.0 * width
    return 2.0


@kernel
def first_unseen(m, w, r, ints, t0, h):
    """Fraction of the step behind its first kink if it ends on the branch that it began with; above 1 otherwise.

    Error control sees a branch that lasts, but nothing of a touch within the step.
    """
    if m.head[at.H_SWITCHES] == 0:
        return 2.0
    if ints[st.SWITCHED] == 1:
        ints[st.SWITCHED] = 0
        return 2.0
    if has_contacts(m):
        ints[st.CROWDED] = ROW + 1  # a touch that lasts ends no step of these methods
        leave_out(m, w, r, ints, t0, h, LEAST)
    s = first_kink(m, w, r, t0, h, LEAST)
    if s > 0.999999 or branches_at(m, w, r, t0, h, 1.0) != branches_at(m, w, r, t0, h, SKIPPED):
        return 2.0
    ints[st.SWITCHED] = 1
    return s


@kernel
def shorten_step(r, s):
    """Make the polynomials of the step those of its part up to the fraction s."""
    for p in (r.px, r.pu, r.pz, r.pw):
        for i in range(p.shape[0]):
            x = 1.0
            for k in range(1, st.DEGREE):
                x *= s
                p[i, k] *= x


@kernel
def turns_of_step(m, r):
    """Sum of the magnitudes of all rotations about single axes in the step (rad), if points or bodies are watched."""
    angle, watched = 0.0, False
    for e in range(r.events.shape[0]):
        watched = watched or r.events[e, 0] >= st.ON_PLACE
    for n in range(1, m.node.shape[0]):
        if watched and m.node[n, at.MOTION] == at.REVOLUTE:
            angle += abs(st.polynomial(r.px[m.node[n, at.U0]], 1.0))
    return angle


@kernel
def note_kink(m, w, r, ints, t0, h, s):
    """Count a kink at the fraction s of the step and note whose it is; returns the numbers of the branches up to it and behind it."""
    within = branches_at(m, w, r, t0, h, 0.5 * s)
    for e in range(m.element.shape[0]):
        w.touched[e] = forces.branch_of(m, w, e, t0 + 0.5 * s * h, r.qt, r.ut, r.zt)
    behind = branches_at(m, w, r, t0, h, s)
    for e in range(m.element.shape[0]):
        if w.touched[e] != forces.branch_of(m, w, e, t0 + s * h, r.qt, r.ut, r.zt):
            ints[st.BENT] = e
    ints[st.KINKS] += 1
    return within, behind


@shared(TREE, WORK, st.RUN, IVEC, VEC, REAL, REAL, gives=TRUTH)
def find_switch(m, w, r, ints, reals, t0, h):
    """True if the step is to be repeated with the size in H_SWITCH: up to a kink of a force law, or with fewer turns.

    The repeated step is taken as it is, unless a contact begins to touch well before its end: forces that the step before felt behind a
    thin body make it another motion. SWITCHED is 3 where the step began on a kink and ends on the branch from before that: such forces may be zero
    at both ends. A state that rests on a kink cannot stall the run.
    """
    if m.head[at.H_SWITCHES] == 0 and r.events.shape[0] == 0:
        return False
    shortest = LAST * reals[st.H_MIN]
    if ints[st.SWITCHED] > 0:
        limit = FAR if ints[st.SWITCHED] == 2 else AGAIN
        ints[st.SWITCHED] = 0
        if h > shortest and may_close(m):  # another step than the one that was looked at
            least = max(shortest / h, NOW)
            leave_out(m, w, r, ints, t0, h, least)
            note_open(m, w, r, t0, h, least)
            s = first_touch(m, w, r, t0, h, least, 1.0)
            if s < limit and (1.0 - s) * h > shortest:
                ints[st.SWITCHED] = 2
                reals[st.H_SWITCH] = max(s * h, 2.0 * reals[st.H_MIN])
                return True
        return False
    s, turns = 2.0, turns_of_step(m, r)
    if turns > TURNS:
        s = 0.5 * TURNS / turns
    elif m.head[at.H_SWITCHES] > 0 and h > shortest:
        least = max(min(shortest / h, 0.5 * SKIPPED), NOW)
        if has_contacts(m):
            leave_out(m, w, r, ints, t0, h, least)
        s = first_kink(m, w, r, t0, h, least)
        if s > 0.999999:
            return False
        within, behind = note_kink(m, w, r, ints, t0, h, s)
        if ints[st.FRESH] == 1 and within != ints[st.BRANCH] and behind == ints[st.BRANCH]:
            ints[st.SWITCHED] = 3
        else:
            ints[st.SWITCHED], ints[st.BRANCH] = 1, within
        ints[st.CROWDED] += PER_KINK
    else:
        return False
    # what rests on a kink but for rounding is not moved by steps that are shorter still
    least = min(reals[st.LANDED], 0.5 * BRIEF * reals[st.H_MIN]) if ints[st.FRESH] == 1 else 0.0
    reals[st.H_SWITCH] = max(s * h, 2.0 * max(reals[st.H_MIN], least))
    reals[st.LANDED] = reals[st.H_SWITCH]
    return True
