import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createOTP } from '@better-auth/utils/otp';

const STEP_MS = 30_000;
/** Steps before and after the current one whose codes are accepted, because clocks differ. */
const TOLERANCE = 1;
const SECRET_BYTES = 18;

/** Returns a new secret: a text of 24 characters with 144 random bits. The bytes of the text are the key of the codes. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Returns the secret as an `otpauth:` URI, and in Base32 as people type it.
 *
 * @param host distinguishes installations in the app.
 */
export function forApp(
  secret: string,
  host: string,
  email: string,
): { readonly uri: string; readonly secret: string } {
  const uri = createOTP(secret).url(`Gatehouse (${host})`, email);
  return { uri, secret: new URL(uri).searchParams.get('secret') ?? '' };
}

/**
 * Returns the time step of a code, or `null` if the code is wrong. Codes of steps up to `usedStep` are wrong, so nobody can repeat a
 * code that was read over the user's shoulder.
 *
 * @param now Unix milliseconds.
 */
export async function stepOf(
  code: string,
  { secret, usedStep }: { readonly secret: string; readonly usedStep: number },
  now: number,
): Promise<number | null> {
  const otp = createOTP(secret);
  const current = Math.floor(now / STEP_MS);
  let found: number | null = null;
  for (let step = current - TOLERANCE; step <= current + TOLERANCE; step += 1)
    if (timingSafeEqual(Buffer.from(code), Buffer.from(await otp.hotp(step)))) found ??= step;
  return found !== null && found > usedStep ? found : null;
}

/** Returns the six digits of a code of the app, or `null` for other texts. Apps show a space between the digits. */
export function readAppCode(text: string): string | null {
  const digits = text.replaceAll(/\s/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : null;
}
