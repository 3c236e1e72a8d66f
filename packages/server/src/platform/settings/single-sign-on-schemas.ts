import { z } from 'zod';

// Schemas of the settings of single sign-on, in the style of `schemas.ts`.

/** The role that members of a group of the OpenID provider have on a bot. */
export interface GroupRole {
  readonly group: string;
  readonly botId: number;
  readonly role: 'viewer' | 'editor' | 'owner';
}

/**
 * The issuer of an OpenID provider. The text is not normalised, because issuers are compared as exact strings. Plain HTTP is
 * accepted only for this machine.
 */
export const issuer = z
  .string()
  .max(500, 'must have at most 500 characters')
  .superRefine((text, context) => {
    const url = /^https?:\/\/[^/?#\\]/.test(text) ? URL.parse(text) : null;
    if (url === null) context.addIssue('must be an absolute https:// URL');
    else if (url.protocol === 'http:' && !isLoopback(url))
      context.addIssue('must start with https://, unless the provider runs on this machine');
    else if (url.username || url.password || /[?#]/.test(text))
      context.addIssue('must not have credentials, a query or a fragment');
  })
  .meta({
    value: 'absolute `https://` URL, exactly as in the `issuer` of the discovery document',
  });

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

export const clientId = z
  .string()
  .regex(/^[\x20-\x7e]{1,500}$/, 'must be 1 to 500 printable ASCII characters')
  .meta({ value: '1 to 500 printable ASCII characters' });

export const scopes = z
  .string()
  .refine(
    (text) =>
      /^[\x21\x23-\x5b\x5d-\x7e ]{1,500}$/.test(text) &&
      ['openid', 'email'].every((scope) => text.split(' ').includes(scope)),
    'must be scopes separated by spaces, among them openid and email',
  )
  .meta({ value: 'scopes separated by spaces, among them `openid` and `email`' });

export const claimName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters without spaces')
  .meta({ value: '1 to 200 printable ASCII characters without spaces' });

const DOMAIN =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const domains = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim().toLowerCase()))
  .pipe(
    z.array(
      z
        .string()
        .regex(
          DOMAIN,
          'must be a domain such as example.com, in ASCII, without @ and without a wildcard',
        ),
    ),
  )
  .meta({ value: 'domains (`example.com`), separated by commas' });

const groupName = z
  .string('must be a name of 1 to 500 characters')
  .regex(/^[^\p{Cc}]{1,500}$/u, 'must be a name of 1 to 500 characters');

/** Names of groups, separated by commas, or a JSON array if a name contains a comma. */
export const groups = z
  .string()
  .transform((text, context) => {
    if (!text.trimStart().startsWith('[')) return text.split(',').map((entry) => entry.trim());
    return parsed(text, context);
  })
  .pipe(z.array(groupName).min(1, 'must have at least one group'))
  .meta({ value: 'names separated by commas, or a JSON array of names' });

const GROUP_ROLES_FORM =
  'must be a JSON object that maps groups to bots and roles, such as {"support":{"12":"editor"}}; roles are viewer, editor and owner';

export const groupRoles = z
  .string()
  .transform(parsed)
  .pipe(
    z.record(
      groupName,
      z.record(
        z.string().regex(/^[1-9]\d{0,14}$/, GROUP_ROLES_FORM),
        z.enum(['viewer', 'editor', 'owner'], GROUP_ROLES_FORM),
        GROUP_ROLES_FORM,
      ),
      GROUP_ROLES_FORM,
    ),
  )
  .transform((byGroup): readonly GroupRole[] =>
    Object.entries(byGroup).flatMap(([group, byBot]) =>
      Object.entries(byBot).map(([botId, role]) => ({ group, botId: Number(botId), role })),
    ),
  )
  .meta({ value: 'JSON object: group → ID of a bot → `viewer`, `editor` or `owner`' });

function parsed(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('must be valid JSON');
    return z.NEVER;
  }
}
