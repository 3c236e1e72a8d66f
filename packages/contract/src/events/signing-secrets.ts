import Type from 'typebox';
import { Body, EXAMPLE_TIME, Nullable, Str, Timestamp } from '../common.ts';

/** Default time in seconds for which the previous secret stays valid after a rotation. */
export const KEEP_OLD_SECONDS = 86_400;
const MAX_KEEP_OLD_SECONDS = 30 * 86_400;

/** A signing secret that a client sends. */
export const GivenSecret = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'Signing secret: `whsec_` followed by 24 to 64 bytes in base64 (Standard Webhooks). If omitted, a secret is generated.',
});

/** A signing secret that a response shows. */
export const ShownSecret = Str('Signing secret: `whsec_…`. Only this response contains it.');

export const SecretPeriods = Type.Array(
  Type.Object({
    createdAt: Timestamp('Time of creation.'),
    endsAt: Nullable(
      Timestamp(
        'Time at which the secret expires. `null`: the current secret, which does not expire.',
      ),
    ),
  }),
  { description: 'Validity periods of the current and the previous secret, current secret first.' },
);

export const SecretRotation = Body({
  secret: Type.Optional(GivenSecret),
  keepOldSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_KEEP_OLD_SECONDS,
      default: KEEP_OLD_SECONDS,
      description:
        'Seconds for which the previous secret stays valid. Default 86,400 (one day). `0` invalidates it immediately. Older secrets always become invalid immediately.',
    }),
  ),
});
export type SecretRotation = Type.Static<typeof SecretRotation>;

export const exampleSecrets = [{ createdAt: EXAMPLE_TIME, endsAt: null }];
export const exampleRotatedSecrets = [
  { createdAt: '2026-11-18T09:30:00.000Z', endsAt: null },
  { createdAt: EXAMPLE_TIME, endsAt: '2026-11-18T10:30:00.000Z' },
];
