"""Checks that the plans of elimination keep within a model's buffers: of accelerations, and of Newton's matrix by fronts."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.images import rules
from supple.core.images.rules import numbers_fit, ranges_fit
from supple.core.images.tree import within
from supple.core.linalg import multifrontal as bl
from supple.native.declare import kernel


@kernel
def plan_fits(m):
    """True if the plan of accelerations (``core/equations/elimination.py``) names links, rows and velocities that there are."""
    plan, nu, nr, links = m.plan, m.head[at.H_U], m.head[at.H_ROWS], m.link.shape[0]
    if (plan[at.PLAN_USABLE] != 0 and plan[at.PLAN_USABLE] != 1) or (plan[at.PLAN_NEWTON] > 0) != (m.head[at.H_PLANNED] == 1):
        return False
    if plan[at.PLAN_USABLE] == 0:
        return m.head[at.H_ROWS] == 0 or m.head[at.H_WAY] == at.DENSE
    if not within(plan[at.PLAN_LINKS], links * at.PLAN_INTS, plan.shape[0]):
        return False
    free = 0
    for c in range(links):
        rec = plan[plan[at.PLAN_LINKS] + c * at.PLAN_INTS :]
        if not record_fits(m, c, rec):
            return False
        free += rec[at.PLAN_FREE]
    first, reach, low, owner = plan[at.PLAN_FIRST], plan[at.PLAN_REACH], plan[at.PLAN_LOWS], plan[at.PLAN_OWNER]
    if free > nr or not numbers_fit(plan, first, nu, -1, nu) or not numbers_fit(plan, reach, nu, -1, nu):
        return False
    if not numbers_fit(plan, low, nr, 0, nr + 1) or not numbers_fit(plan, owner, nu, -1, 8 * links):
        return False
    for k in range(nu):
        if plan[first + k] > k or plan[reach + k] > k or (plan[first + k] >= 0 and plan[reach + k] < 0):
            return False
        if plan[owner + k] >= 0:
            rec = plan[plan[at.PLAN_LINKS] + (plan[owner + k] // 8) * at.PLAN_INTS :]
            if plan[owner + k] % 8 >= rec[at.PLAN_K]:
                return False
    for k in range(free):
        if plan[low + k] > k:
            return False
    return numbers_fit(plan, plan[at.PLAN_ORDER], links, 0, links)


@kernel
def record_fits(m, c, rec):
    """True if the record of one link keeps within rows, velocities and lists."""
    nu, nr, rows = m.head[at.H_U], m.head[at.H_ROWS], 0
    for i in range(6):
        rows += 1 if m.link[c, at.LINK_ROW + i] >= 0 else 0
    free, own = rec[at.PLAN_FREE], rec[at.PLAN_K]
    if free < 0 or own < 0 or free + own != rows or not within(rec[at.PLAN_POS], free, nr) or not within(rec[at.PLAN_LOW], 0, rec[at.PLAN_POS]):
        return False
    if not numbers_fit(rec, at.PLAN_ROW + 0 * free, rows, 0, nr) or not numbers_fit(rec, at.PLAN_E + 0 * free, own, 0, nu):
        return False
    if not ranges_fit(m.plan, rec[at.PLAN_RANGES], rec[at.PLAN_NRANGES], 2 + 0 * free, nu):
        return False
    if not ranges_fit(m.plan, rec[at.PLAN_ENTRIES], rec[at.PLAN_NENTRIES], 2 + 0 * free, nu):
        return False
    if not ranges_fit(m.plan, rec[at.PLAN_PAIRS], rec[at.PLAN_NPAIRS], 3 + 0 * free, nu):
        return False
    for k in range(rec[at.PLAN_PAIRS], rec[at.PLAN_PAIRS] + 3 * rec[at.PLAN_NPAIRS], 3):
        if not within(m.plan[k], 1, m.link.shape[0]):
            return False
    return True


@kernel
def fronts_fit(m):
    """True if the plan of Newton's matrix (``core/linalg/multifrontal.py``) keeps within its unknowns, stack and factors."""
    begin, nu, nr, nz = m.plan[at.PLAN_NEWTON], m.head[at.H_U], m.head[at.H_ROWS], m.head[at.H_Z]
    unknowns = nu + nz + 2 * nr
    if begin == 0:
        return True
    if not within(begin, bl.HEAD, m.plan.shape[0]) or begin < at.PLAN_HEAD:
        return False
    p = m.plan[begin:]
    if p[bl.STACK] != m.head[at.H_STACK] or p[bl.FACTORS] != m.head[at.H_FACTORS] or not within(p[bl.SCRATCH], 0, p[bl.STACK]):
        return False
    fronts, records = p[bl.FRONTS], p[bl.COUNT]
    if fronts < 0 or fronts > rules.MOST or not within(p[bl.TABLE], fronts * bl.FRONT_INTS, p.shape[0]):
        return False
    if records < 0 or records > rules.MOST or not within(p[bl.RECORDS], records * bl.RECORD_INTS, p.shape[0]):
        return False
    if not numbers_fit(p, p[bl.PLACE], unknowns, 0, unknowns) or not within(p[bl.TURNS], 1, p.shape[0]):
        return False
    if p[p[bl.TURNS]] > 0:
        if not within(p[bl.TURNS] + 1, nu, p.shape[0]):
            return False
        for j in range(nu):
            if p[p[bl.TURNS] + 1 + j] == 1 and j + 6 > nu:
                return False
    for e in range(records):
        if not entry_fits(m, p, p[p[bl.RECORDS] + e * bl.RECORD_INTS :]):
            return False
    if not numbers_fit(p, p[bl.LINKED], p[bl.LINKS], 0, records):
        return False
    for k in range(p[bl.LINKED], p[bl.LINKED] + p[bl.LINKS]):
        if p[p[bl.RECORDS] + p[k] * bl.RECORD_INTS + bl.CODE] != bl.ROWS:
            return False
    for k in range(fronts):
        if not front_fits(p, p[p[bl.TABLE] + k * bl.FRONT_INTS :], unknowns):
            return False
    for k in range(fronts):
        if not children_fit(p, k, p[p[bl.TABLE] + k * bl.FRONT_INTS :]):
            return False
    return True


@kernel
def entry_fits(m, p, r):
    """True if a record of entries names velocities, rows and states that there are."""
    nu, nr, nz, code = m.head[at.H_U], m.head[at.H_ROWS], m.head[at.H_Z], r[bl.CODE]
    if code < 0 or code > bl.OWN:
        return False
    for k in range(bl.ROW, bl.MORE):
        if r[k] < 0 or r[k] > rules.MOST:
            return False
    if code == bl.OWN:
        return True
    row_end = nu if code == bl.TANGENT or code == bl.PUSH else (nr if code == bl.ROWS or code == bl.RATES else nz)
    pushes = code == bl.PUSH or code == bl.RATES or code == bl.STATE_PUSH
    if not within(r[bl.ROW], max(r[bl.NROW], 1), row_end):
        return False
    if code == bl.STATE_OWN:
        return True
    if not within(r[bl.COLUMN], r[bl.NCOLUMN], nr if pushes else nu):
        return False
    if not pushes:
        return True
    return within(r[bl.INNER], r[bl.NINNER], nu) and within(p[bl.SCRATCH], r[bl.NINNER] * r[bl.NCOLUMN], p[bl.STACK])


@kernel
def front_fits(p, front, unknowns):
    """True if a front has room for itself, what it leaves and its factors, and its entries lie in it."""
    b, n = front[bl.PIVOTS], front[bl.SIZE]
    c = n - b
    if b < 1 or c < 0 or n > unknowns or not within(front[bl.FIRST], b, unknowns):
        return False
    if not within(front[bl.FACTORS_AT], b * b + 2 * b * c, p[bl.FACTORS]):
        return False
    if not within(front[bl.FRONT_AT], n * n, p[bl.STACK]) or not within(front[bl.LEFT_AT], c * c, p[bl.STACK]):
        return False
    if not numbers_fit(p, front[bl.BORDER], c, 0, unknowns) or not numbers_fit(p, front[bl.PARENT], c, 0, unknowns):
        return False
    if not within(front[bl.ENTRY], front[bl.ENTRIES], p[bl.COUNT]) or front[bl.ENTRIES] < 0:
        return False
    for e in range(front[bl.ENTRY], front[bl.ENTRY] + front[bl.ENTRIES]):
        r = p[p[bl.RECORDS] + e * bl.RECORD_INTS :]
        rows, columns, code = r[bl.NROW], r[bl.NCOLUMN], r[bl.CODE]
        if code == bl.OWN or code == bl.STATE_OWN:
            columns = 0 * columns
        if code == bl.STATE or code == bl.STATE_OWN:
            rows = max(rows, 1)
        if not within(r[bl.AT_ROW], rows, n) or not within(r[bl.AT_COLUMN], columns, n):
            return False
        if code == bl.ROWS and not within(r[bl.AT_ROW] + r[bl.MORE], rows, n):
            return False
    return True


@kernel
def children_fit(p, k, front):
    """True if the children of front k come before it, and what they leave belongs to it."""
    count = front[bl.CHILDREN]
    if not numbers_fit(p, front[bl.CHILD], count, 0, k):
        return False
    for l in range(front[bl.CHILD], front[bl.CHILD] + count):
        child = p[p[bl.TABLE] + p[l] * bl.FRONT_INTS :]
        if not numbers_fit(p, child[bl.PARENT], child[bl.SIZE] - child[bl.PIVOTS], 0, front[bl.SIZE]):
            return False
    return True
