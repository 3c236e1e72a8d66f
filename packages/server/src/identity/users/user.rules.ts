import { randomBytes } from 'node:crypto';
import type { Issue, User } from '@gatehouse/contract';

/** What better-auth accepts at sign-in; any other address would make a user who can never enter. */
const EMAIL = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;
const PASSWORD_BYTES = 18;

/** A user as it is stored. */
export interface StoredUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: number;
  readonly disabled_at: number | null;
  /** ISO 8601. */
  readonly created_at: string;
}

/** A user as everybody outside sees it. */
export function formatUser(user: StoredUser): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    admin: user.is_admin === 1,
    disabled: user.disabled_at !== null,
    createdAt: user.created_at,
  };
}

/** What is wrong with the address of a new user. */
export function emailIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const { email } = body;
  if (typeof email !== 'string' || EMAIL.test(email)) return [];
  return [{ message: 'email: must be an e-mail address such as ada@example.com' }];
}

/** The form in which addresses are stored and compared. */
export function foldEmail(email: string): string {
  return email.toLowerCase();
}

/** 144 random bits, 24 characters. */
export function randomPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}
