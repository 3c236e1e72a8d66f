import assert from 'node:assert/strict';
import { codeAt, wrongCodeAt } from '../../../tests/support/identity/authenticator.ts';
import { type Answer, type IdentityUnderTest, openIdentity, PASSWORD } from '../identity.suite.ts';

const STEP_MS = 30_000;
/** A user with a second factor. */
export interface Enrolled {
  readonly id: string;
  readonly email: string;
  /** A session. */
  readonly token: string;
  readonly recoveryCodes: readonly string[];
  /** Secret in Base32. */
  readonly secret: string;
  /** Returns the code that the app shows. */
  code(): string;
  wrongCode(): string;
  /** Signs in with the password and returns the challenge. */
  challenge(): Promise<string>;
}

/** The identity routes, and users with a second factor. */
export interface SecondFactorsUnderTest extends IdentityUnderTest {
  enrol(email: string): Promise<Enrolled>;
  /** Sends the second step of a sign-in. */
  complete(challenge: string, code: string): Promise<Answer>;
  /** Moves the time to the next code. */
  nextCode(): void;
}

export async function openSecondFactors(
  options: Parameters<typeof openIdentity>[0] = {},
): Promise<SecondFactorsUnderTest> {
  return withSecondFactors(await openIdentity(options));
}

/** Adds the helpers of second factors to opened identity routes. */
export function withSecondFactors(identity: IdentityUnderTest): SecondFactorsUnderTest {
  const nextCode = () => {
    identity.now += STEP_MS;
  };
  const enrol = async (email: string): Promise<Enrolled> => {
    const { id, token } = await identity.person(email);
    const started = await identity.call('POST', '/auth/second-factor', token, {
      password: PASSWORD,
    });
    assert.equal(started.status, 201);
    const secret = String(started.body['secret']);
    const code = () => codeAt(secret, identity.now);
    const confirmed = await identity.call('POST', '/auth/second-factor/confirm', token, {
      code: code(),
    });
    assert.equal(confirmed.status, 200);
    nextCode();
    const challenge = async () => {
      const { status, body } = await identity.signIn(email);
      assert.deepEqual([status, body['code']], [401, 'access.code-required']);
      return String(body['challenge']);
    };
    const recoveryCodes = confirmed.body['recoveryCodes'] as string[];
    const wrongCode = () => wrongCodeAt(secret, identity.now);
    return { id, email, token, recoveryCodes, secret, code, wrongCode, challenge };
  };
  const complete = (challenge: string, code: string) =>
    identity.call('POST', '/auth/sign-in/code', null, { challenge, code });
  return Object.assign(identity, { enrol, complete, nextCode });
}
