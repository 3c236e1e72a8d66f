import { type IssuedLink, linkUrl } from '../../identity/index.ts';
import type { CommandResult } from './command.ts';

interface PrintedLink extends IssuedLink {
  readonly purpose: 'setup' | 'reset' | 'sign-in';
  readonly baseUrl: string;
}

const EFFECTS = {
  setup: 'creates the first administrator',
  reset: 'sets a new password',
  'sign-in': 'signs the user in',
} as const;

const MEMBERS = {
  setup: ',"email":"you@example.com","name":"Your name","password":"at least 12 characters"',
  reset: ',"password":"at least 12 characters"',
  'sign-in': '',
} as const;

/** Returns the lines that show a new link to the operator. They are the only place that contains the token. */
export function describeLink({ purpose, token, expiresAt, baseUrl }: PrintedLink): string[] {
  return [
    `This link ${EFFECTS[purpose]}. It works once, until ${new Date(expiresAt).toISOString()}:`,
    '',
    `  ${linkUrl(baseUrl, purpose, token)}`,
    '',
    'Open it in a browser, or redeem it with:',
    '',
    `  curl ${baseUrl}/auth/redeem -H 'Content-Type: application/json' \\`,
    `    -d '{"token":"${token}"${MEMBERS[purpose]}}'`,
  ];
}

/** Returns a new link as the result of a command. */
export function linkResult(link: PrintedLink): CommandResult {
  const { purpose, token, expiresAt, baseUrl } = link;
  return {
    value: {
      purpose,
      url: linkUrl(baseUrl, purpose, token),
      token,
      expiresAt: new Date(expiresAt).toISOString(),
    },
    lines: describeLink(link),
  };
}
