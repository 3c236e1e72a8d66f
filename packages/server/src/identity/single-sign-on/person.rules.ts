import type { Role } from '@gatehouse/contract';
import type { GroupRole } from '../../platform/settings/index.ts';
import { foldEmail, isEmail } from '../users/user.rules.ts';
import {
  emailMissing,
  emailUnverified,
  invalidResponse,
  notAllowed,
} from './single-sign-on.errors.ts';

/** Who may sign in, and the rights that groups of the provider grant. */
export interface SignInPolicy {
  /** In lower case. Null allows every domain. */
  readonly allowedDomains: readonly string[] | null;
  /** Null allows every group, and users without a group. */
  readonly allowedGroups: readonly string[] | null;
  readonly adminGroups: readonly string[];
  readonly groupRoles: readonly GroupRole[];
}

/** Verified claims of a user. The values come from the provider and are not checked yet. */
export interface Claims {
  readonly subject: unknown;
  readonly email: unknown;
  readonly emailVerified: unknown;
  readonly name: unknown;
  /** Undefined if the provider sent no such claim. */
  readonly groups: unknown;
}

/** A user of the provider who may sign in. Only `toPerson` creates a `Person`. */
export interface Person {
  readonly subject: string;
  /** Verified by the provider, in lower case. */
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Roles by bot. */
  readonly roles: ReadonlyMap<number, Role>;
}

/** OpenID Connect limits `sub` to 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const MAX_EMAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 200;

/** Checks claims against the policy. Throws 401 or 403 with the reason if the user may not sign in. */
export function toPerson(claims: Claims, policy: SignInPolicy): Person {
  const { subject, email } = claims;
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) throw invalidResponse();
  if (typeof email !== 'string' || email.length > MAX_EMAIL_LENGTH || !isEmail(email))
    throw emailMissing();
  // Some providers send the string "true" for addresses that users typed in themselves.
  if (claims.emailVerified !== true) throw emailUnverified(claims.emailVerified !== undefined);
  const folded = foldEmail(email);
  const domain = folded.slice(folded.lastIndexOf('@') + 1);
  if (policy.allowedDomains !== null && !policy.allowedDomains.includes(domain))
    throw notAllowed('email domain');
  const groups = groupsOf(claims.groups);
  if (policy.allowedGroups !== null && !policy.allowedGroups.some((group) => groups.has(group)))
    throw notAllowed(
      claims.groups === undefined ? 'groups, because the provider sent none' : 'groups',
    );
  return {
    subject,
    email: folded,
    name: nameOf(claims.name) ?? folded,
    isAdmin: policy.adminGroups.some((group) => groups.has(group)),
    roles: rolesOf(policy.groupRoles, groups),
  };
}

/** Returns the groups in a claim, which is a list or one name. Other values count as no group. */
function groupsOf(claim: unknown): ReadonlySet<string> {
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return new Set(list.filter((group) => typeof group === 'string'));
}

function rolesOf(
  groupRoles: readonly GroupRole[],
  groups: ReadonlySet<string>,
): ReadonlyMap<number, Role> {
  const roles = new Map<number, Role>();
  for (const { group, botId, role } of groupRoles)
    if (groups.has(group)) roles.set(botId, higherRole(roles.get(botId) ?? null, role));
  return roles;
}

const ROLES: readonly Role[] = ['viewer', 'editor', 'owner'];

export function higherRole(one: Role | null, other: Role): Role {
  return one !== null && ROLES.indexOf(one) > ROLES.indexOf(other) ? one : other;
}

/** Returns a display name without control characters, or `null` if the claim has none. */
function nameOf(claim: unknown): string | null {
  if (typeof claim !== 'string') return null;
  const name = claim
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return name === '' ? null : name.slice(0, MAX_NAME_LENGTH).toWellFormed();
}

/**
 * Reports whether a path stays on this service when a browser resolves it. Browsers treat `\` as `/`, and remove tabs and line
 * breaks.
 */
export function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !/[\\#]/.test(path);
}
