/**
 * Listeners of a broker. Tests read through `TEST`, and brokers replicate through it. `PROXY` is the port of the proxy to
 * `PROXIED`.
 */
export type Listener = 'CONTROLLER' | 'TEST' | 'PROXIED' | 'PROXY' | 'SASL' | 'TLS' | 'SASL_TLS';

export type Ports = Readonly<Record<Listener, number>>;

export interface BrokerOptions {
  /** The user of the listeners `SASL` and `SASL_TLS`. */
  readonly user?: { readonly name: string; readonly password: string };
  /** A PEM file with the private key and the certificate of the listeners `TLS` and `SASL_TLS`. */
  readonly keyAndCertificate?: string;
  /** Options of the JVM. Default: options that reduce the processor time of a short-lived process. */
  readonly java?: readonly string[];
  /** Additional properties. */
  readonly properties?: Readonly<Record<string, string>>;
}

const PROTOCOLS = {
  CONTROLLER: 'PLAINTEXT',
  TEST: 'PLAINTEXT',
  PROXIED: 'PLAINTEXT',
  SASL: 'SASL_PLAINTEXT',
  TLS: 'SSL',
  SASL_TLS: 'SASL_SSL',
} as const;

/** Returns the content of the properties file of a broker that is also a KRaft controller. */
export function propertiesOf(
  id: number,
  ports: ReadonlyMap<number, Ports>,
  logs: string,
  options: BrokerOptions,
): string {
  const own = ports.get(id);
  if (own === undefined) throw new Error(`broker ${id} has no ports`);
  const { user, keyAndCertificate } = options;
  const listeners: (keyof typeof PROTOCOLS)[] = [
    ...(['TEST', 'PROXIED'] as const),
    ...(user === undefined ? [] : (['SASL'] as const)),
    ...(keyAndCertificate === undefined ? [] : (['TLS'] as const)),
    ...(user === undefined || keyAndCertificate === undefined ? [] : (['SASL_TLS'] as const)),
  ];
  const at = (listener: Listener, port: number) => `${listener}://127.0.0.1:${port}`;
  const replicas = Math.min(3, ports.size);
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': [...ports]
      .map(([each, { CONTROLLER }]) => `${each}@127.0.0.1:${CONTROLLER}`)
      .join(','),
    listeners: (['CONTROLLER', ...listeners] as const).map((one) => at(one, own[one])).join(','),
    'advertised.listeners': listeners
      .map((one) => at(one, own[one === 'PROXIED' ? 'PROXY' : one]))
      .join(','),
    'listener.security.protocol.map': Object.entries(PROTOCOLS)
      .map(([name, protocol]) => `${name}:${protocol}`)
      .join(','),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'TEST',
    'log.dirs': logs,
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': replicas,
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    'replica.lag.time.max.ms': 5000,
    ...(user === undefined ? {} : signInProperties(user)),
    ...(keyAndCertificate === undefined
      ? {}
      : { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': keyAndCertificate }),
    ...options.properties,
  })
    .map(([name, value]) => `${name}=${escaped(String(value))}\n`)
    .join('');
}

function signInProperties({ name, password }: { name: string; password: string }) {
  const security = 'org.apache.kafka.common.security';
  const plain = `${security}.plain.PlainLoginModule required user_${name}="${password}";`;
  const scram = `${security}.scram.ScramLoginModule required;`;
  const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'];
  return {
    'sasl.enabled.mechanisms': mechanisms.join(','),
    ...Object.fromEntries(
      ['sasl', 'sasl_tls'].flatMap((listener) =>
        mechanisms.map((mechanism) => [
          `listener.name.${listener}.${mechanism.toLowerCase()}.sasl.jaas.config`,
          mechanism === 'PLAIN' ? plain : scram,
        ]),
      ),
    ),
  };
}

/** Escapes characters that a properties file cannot contain, because Java reads it as ISO 8859-1. */
function escaped(value: string): string {
  return value.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
