import { nkeys } from '@nats-io/transport-node';

type Keys = ReturnType<typeof nkeys.createUser>;

const NO_LIMITS = {
  subs: -1,
  conn: -1,
  leaf: -1,
  imports: -1,
  exports: -1,
  data: -1,
  payload: -1,
  wildcards: true,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

/**
 * Creates the server configuration of a NATS operator with one account, and the credentials of one user, as the tool
 * `nsc` does.
 */
export function makeAccount(): { configuration: string; credentials: string } {
  const [operator, system] = [nkeys.createOperator(), nkeys.createAccount()];
  const [account, user] = [nkeys.createAccount(), nkeys.createUser()];
  const accountOf = (keys: Keys, limits: object) =>
    `${keys.getPublicKey()}: ${sign(operator, keys, { type: 'account', limits })}`;
  const unlimited = { subs: -1, data: -1, payload: -1 };
  return {
    configuration: [
      `operator: ${sign(operator, operator, { type: 'operator' })}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      'resolver_preload: {',
      accountOf(system, { ...NO_LIMITS, mem_storage: 0, disk_storage: 0 }),
      accountOf(account, NO_LIMITS),
      '}',
    ].join('\n'),
    credentials: [
      '-----BEGIN NATS USER JWT-----',
      sign(account, user, { type: 'user', ...unlimited }),
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      new TextDecoder().decode(user.getSeed()),
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
  };
}

/**
 * Creates a NATS JWT.
 * https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt
 */
function sign(issuer: Keys, subject: Keys, nats: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    jti: subject.getPublicKey(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'test',
    nats: { ...nats, version: 2 },
  };
  const signed = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(claims)}`;
  const signature = Buffer.from(issuer.sign(new TextEncoder().encode(signed)));
  return `${signed}.${signature.toString('base64url')}`;
}
