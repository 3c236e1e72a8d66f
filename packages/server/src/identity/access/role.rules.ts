import type { Role } from '@gatehouse/contract';

const RANK: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, owner: 3 };

/** Whether any of the roles is the needed one or more. */
export function hasRole(roles: readonly Role[], needed: Role): boolean {
  return roles.some((role) => RANK[role] >= RANK[needed]);
}
