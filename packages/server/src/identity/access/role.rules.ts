import type { Role } from '@gatehouse/contract';

const RANK: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, owner: 3 };

/** Reports whether a role includes the rights of another role. */
export function includesRole(role: Role, other: Role): boolean {
  return RANK[role] >= RANK[other];
}

export function highestRole(roles: readonly Role[]): Role | null {
  return roles.toSorted((a, b) => RANK[b] - RANK[a])[0] ?? null;
}
