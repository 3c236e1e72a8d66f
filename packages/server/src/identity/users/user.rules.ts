import type { Issue, User } from '@gatehouse/contract';

/** The addresses that better-auth accepts at sign-in. A user with any other address could never sign in. */
const EMAIL = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;

export interface StoredUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: number;
  readonly disabled_at: number | null;
  /** ISO 8601. */
  readonly created_at: string;
}

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

export function emailIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const { email } = body;
  if (typeof email !== 'string' || isEmail(email)) return [];
  return [{ message: 'email: must be an email address, such as ada@example.com' }];
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/** Returns an email address in the form in which addresses are stored and compared. */
export function foldEmail(email: string): string {
  return email.toLowerCase();
}
