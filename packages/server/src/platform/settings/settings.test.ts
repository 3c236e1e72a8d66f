import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { publicBaseUrl, readSettings, type Settings } from './settings.ts';

const MIB = 1024 * 1024;

function settingsOf(env: Record<string, string>): Settings {
  const result = readSettings(env);
  assert.ok(result.ok, inspect(result));
  return result.settings;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  const result = readSettings(env);
  return result.ok ? [] : result.problems;
}

describe('readSettings', () => {
  it('uses the defaults if no variable is set', () => {
    const { given, ...values } = settingsOf({});
    assert.deepEqual(given.reveal(), {});
    assert.deepEqual(values, {
      host: '127.0.0.1',
      port: 8080,
      baseUrl: null,
      dataDir: resolve('data'),
      databaseUrl: null,
      databaseConnections: 10,
      secret: null,
      adminEmail: null,
      adminPassword: null,
      passwordSignIn: 'on',
      oidcIssuer: null,
      oidcClientId: null,
      oidcClientSecret: null,
      oidcScopes: 'openid email profile',
      oidcAllowedDomains: null,
      oidcAllowedGroups: null,
      oidcAdminGroups: null,
      oidcGroupRoles: null,
      oidcGroupsClaim: 'groups',
      modelUrl: null,
      modelKey: null,
      modelFallback: null,
      modelName: null,
      models: null,
      modelPriceInput: null,
      modelPriceOutput: null,
      embeddingModel: null,
      drainSeconds: null,
      stopSeconds: 9,
      logLevel: 'info',
      logFormat: 'auto',
      trustedProxies: [],
      rateLimitSignIn: 20,
      rateLimitExchange: 600,
      rateLimitChat: 20,
      rateLimitChatLink: null,
      rateLimitReadsLink: 120,
      idempotencyKeys: 200_000,
      auditDays: 365,
      auditSpace: null,
      searchTimeLink: 250,
      searchTimeCaller: 0,
      searchWaitSeconds: 2,
      deliveryAllow: [],
      deliveriesMaxAgeDays: 7,
      rateLimitEventsKey: 0,
      rateLimitEventBytesKey: 0,
      rateLimitEventsSpace: 0,
      rateLimitEventBytesSpace: 0,
      connectionsHeldBytes: 256 * MIB,
      conversationDays: 0,
      recordsProjection: 100_000,
      attachmentsConversation: 10,
      attachmentsLink: 1000,
      attachmentBytes: 10 * 2 ** 20,
      rateLimitAttachments: 10,
      eventsQueueBytes: 64 * MIB,
      eventsMaxAgeDays: null,
      eventsMaxBytes: null,
      rejectedEventsMaxAgeDays: 7,
      eventsListeners: 10_000,
      eventsListenersSpace: 5000,
      natsUrl: null,
      natsSubject: 'gatehouse.{spaceId}.events',
      natsUser: null,
      natsPassword: null,
      natsToken: null,
      natsCredentialsFile: null,
      kafkaBrokers: null,
      kafkaTopic: 'gatehouse.events',
      kafkaKey: 'subject',
      kafkaTls: 'off',
      kafkaSasl: null,
      kafkaUser: null,
      kafkaPassword: null,
      sinksStart: 'newest',
      sinksTooLarge: 'hold',
      tracesUrl: null,
      tracesAuthorization: null,
      tracesRatio: 1,
    });
  });

  it('treats an empty variable as not set', () => {
    const empty = { GATEHOUSE_PORT: '', GATEHOUSE_ADMIN_PASSWORD: '', GATEHOUSE_NO_SUCH: '' };
    assert.equal(settingsOf(empty).port, 8080);
  });

  it('reports every problem on a line that starts with the name of the variable', () => {
    const problems = problemsOf({
      GATEHOUSE_PORT: 'http',
      GATEHOUSE_LOG_LEVEL: 'loud',
      GATEHOUSE_ADMIN_EMAIL: 'admin@example.com',
      GATEHOUSE_PROT: '1',
    });
    assert.deepEqual(problems, [
      'GATEHOUSE_PORT: must be a whole number from 0 to 65535 (it is "http")',
      'GATEHOUSE_LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent (it is "loud")',
      'GATEHOUSE_ADMIN_PASSWORD: must be set too, because GATEHOUSE_ADMIN_EMAIL is set',
      'GATEHOUSE_PROT: is not a setting of this release (did you mean GATEHOUSE_PORT?)',
    ]);
  });

  it('reports the position of an invalid list entry', () => {
    assert.deepEqual(
      problemsOf({
        GATEHOUSE_TRUSTED_PROXIES: '10.0.0.1,proxy',
        GATEHOUSE_NATS_URL: 'nats://a, tcp://b, tcp://c',
      }),
      [
        'GATEHOUSE_TRUSTED_PROXIES: entry 2 must be an IP address or a network such as 10.0.0.0/8',
        'GATEHOUSE_NATS_URL: entry 2 must be a URL such as nats://127.0.0.1:4222, without credentials or a path',
      ],
    );
  });

  it('shows quotation marks and line breaks in the value of an invalid setting', () => {
    assert.deepEqual(problemsOf({ GATEHOUSE_PORT: '"8080"\r' }), [
      'GATEHOUSE_PORT: must be a whole number from 0 to 65535 (it is "\\"8080\\"\\r")',
    ]);
  });

  it('never includes a value that may be a secret in a problem', () => {
    const value = 'postgres://hunter2@[';
    const everywhere = Object.fromEntries(
      ['HOST', 'PORT', 'BASE_URL', 'DATABASE_URL', 'ADMIN_EMAIL', 'LOG_LEVEL', 'TRUSTED_PROXIES']
        .concat(
          'MODEL_URL',
          'RATE_LIMIT_SIGN_IN',
          'RATE_LIMIT_EXCHANGE',
          'EVENTS_QUEUE_BYTES',
          'SECRET',
          'OTHER',
        )
        .map((name) => [`GATEHOUSE_${name}`, value]),
    );
    const problems = problemsOf({ ...everywhere, GATEHOUSE_ADMIN_PASSWORD: 'hunter2' });
    assert.equal(problems.length, 14);
    assert.doesNotMatch(problems.join('\n'), /hunter2/);
  });

  it('returns secret settings that print as [secret]', () => {
    const password = 'correct horse battery';
    const settings = settingsOf({
      GATEHOUSE_ADMIN_EMAIL: 'admin@example.com',
      GATEHOUSE_ADMIN_PASSWORD: password,
    });
    const printed = [JSON.stringify(settings), inspect(settings), `${settings.adminPassword}`];
    for (const text of printed) {
      assert.match(text, /\[secret\]/);
      assert.doesNotMatch(text, /correct/);
    }
    assert.equal(settings.adminPassword?.reveal(), password);
  });

  it('requires a secret if PostgreSQL is configured, and explains how to generate a secret', () => {
    const [problem = ''] = problemsOf({ GATEHOUSE_DATABASE_URL: 'mysql://x' }).filter((one) =>
      one.startsWith('GATEHOUSE_SECRET'),
    );
    assert.match(
      problem,
      /must be set too, because GATEHOUSE_DATABASE_URL is set; generate one with: /,
    );
    const made = Buffer.alloc(32, 0xfb);
    for (const text of [made.toString('base64'), made.toString('base64url')])
      assert.deepEqual(settingsOf({ GATEHOUSE_SECRET: text }).secret?.reveal(), made);
    for (const bytes of [31, 33]) {
      const text = Buffer.alloc(bytes, 7).toString('base64');
      assert.match(problemsOf({ GATEHOUSE_SECRET: text }).join(), /GATEHOUSE_SECRET: must be 32/);
    }
  });

  it('reads models with their own URL, key and prices', () => {
    const text = JSON.stringify({
      large: { url: 'https://API.example/v1/', key: 'sk-1', priceInput: 2.5, priceOutput: 10 },
      local: { url: 'http://127.0.0.1:11434/v1', model: 'small:8b' },
    });
    const settings = settingsOf({
      GATEHOUSE_MODELS: text,
      GATEHOUSE_MODEL_NAME: 'large',
      GATEHOUSE_MODEL_FALLBACK: 'local',
    });
    assert.deepEqual(settings.models?.reveal(), [
      {
        name: 'large',
        api: { url: 'https://api.example/v1', key: 'sk-1' },
        model: 'large',
        prices: { input: 2.5, output: 10 },
      },
      {
        name: 'local',
        api: { url: 'http://127.0.0.1:11434/v1', key: null },
        model: 'small:8b',
        prices: null,
      },
    ]);
    assert.doesNotMatch(JSON.stringify(settings), /sk-1/);
    assert.deepEqual(problemsOf({ GATEHOUSE_MODELS: text, GATEHOUSE_MODEL_FALLBACK: 'other' }), [
      'GATEHOUSE_MODEL_URL: must be set too, because GATEHOUSE_MODEL_FALLBACK is set to a name that is not in GATEHOUSE_MODELS',
    ]);
  });

  it('names the model and the member of a wrong value of GATEHOUSE_MODELS, but no secret', () => {
    const url = '"url":"https://x.example"';
    for (const [wrong, problem] of [
      ['{', /must be a JSON object that maps names to models/],
      ['[]', /must be a JSON object that maps names to models/],
      ['{"a b":{"url":"https://x.example"}}', /must be a JSON object that maps names to models/],
      [`{${url},"key":"hunter2"}`, /must be a JSON object that maps names to models/],
      ['{"a":{}}', /model a: url must be an absolute http:\/\/ or https:\/\/ URL$/],
      ['{"a":{"url":"hunter2"}}', /model a: url must be an absolute/],
      [
        `{"b":{${url}},"a":{"url":"https://me:hunter2@x.example"}}`,
        /model a: url must not have credentials; put the API key into key$/,
      ],
      [`{"a":{${url},"hunter2":1}}`, /model a: unknown member; the members are url, key, model,/],
      [
        `{"a":{${url},"prizeInput":"hunter2"}}`,
        /model a: unknown member \(did you mean priceInput\?\); the members are /,
      ],
      [`{"a":{${url},"key":"hunter2 "}}`, /model a: key must be printable ASCII .* spaces$/],
      [`{"a":{${url},"key":2}}`, /model a: key must be a string$/],
      [`{"a":{${url},"priceInput":1}}`, /model a: must have both or neither of `priceInput`/],
      [
        `{"a":{${url},"priceInput":-1}}`,
        /model a: priceInput must be a number from 0 to 1,000,000/,
      ],
      [`{"a":{${url},"priceInput":"1"}}`, /model a: priceInput must be a number from 0 to/],
    ] as const) {
      const problems = problemsOf({ GATEHOUSE_MODELS: wrong });
      assert.match(problems.join('\n'), /^GATEHOUSE_MODELS: [^\n]+$/, wrong);
      assert.match(problems.join(), problem, wrong);
      assert.doesNotMatch(problems.join(), /hunter2/);
    }
  });

  it('requires a model URL if a chat model or an embedding model is set', () => {
    const named = { GATEHOUSE_MODEL_NAME: 'large', GATEHOUSE_EMBEDDING_MODEL: 'small' };
    assert.deepEqual(problemsOf(named), [
      'GATEHOUSE_MODEL_URL: must be set too, because GATEHOUSE_EMBEDDING_MODEL is set',
      'GATEHOUSE_MODEL_URL: must be set too, because GATEHOUSE_MODEL_NAME is set',
    ]);
    const settings = settingsOf({ ...named, GATEHOUSE_MODEL_URL: 'https://API.example/v1/' });
    assert.equal(settings.modelUrl, 'https://api.example/v1');
    assert.equal(settings.modelName, 'large');
    for (const [name, wrong] of [
      ['URL', 'https://user:hunter2@api.example/v1'],
      ['URL', 'https://api.example/v1?key=hunter2'],
      ['KEY', 'hunter2\nX-Other: 1'],
      ['KEY', 'hunter2 ä'],
      ['NAME', 'hunter2 ä'],
    ] as const) {
      const problems = problemsOf({
        GATEHOUSE_MODEL_URL: 'https://api.example/v1',
        [`GATEHOUSE_MODEL_${name}`]: wrong,
      });
      assert.equal(problems.length, 1);
      assert.doesNotMatch(problems.join(), /hunter2/);
    }
  });

  it('requires both prices and a model URL if one price is set', () => {
    const one = { GATEHOUSE_MODEL_PRICE_INPUT: '0.15' };
    const both = { ...one, GATEHOUSE_MODEL_PRICE_OUTPUT: '10' };
    assert.deepEqual(problemsOf(one), [
      'GATEHOUSE_MODEL_PRICE_OUTPUT: must be set too, because GATEHOUSE_MODEL_PRICE_INPUT is set',
      'GATEHOUSE_MODEL_URL: must be set too, because GATEHOUSE_MODEL_PRICE_INPUT is set',
    ]);
    assert.equal(problemsOf(both).length, 1);
    const settings = settingsOf({ ...both, GATEHOUSE_MODEL_URL: 'https://api.example' });
    assert.deepEqual([settings.modelPriceInput, settings.modelPriceOutput], [0.15, 10]);
  });

  it('requires NATS servers if a NATS credential is set, and rejects an incomplete or second credential', () => {
    assert.deepEqual(problemsOf({ GATEHOUSE_NATS_USER: 'hunter2' }), [
      'GATEHOUSE_NATS_URL: must be set too, because GATEHOUSE_NATS_USER is set',
      'GATEHOUSE_NATS_PASSWORD: must be set too, because GATEHOUSE_NATS_USER is set',
    ]);
    const servers = { GATEHOUSE_NATS_URL: 'nats://127.0.0.1:4222' };
    const token = { ...servers, GATEHOUSE_NATS_TOKEN: 'hunter2' };
    assert.equal(settingsOf(token).natsToken?.reveal(), 'hunter2');
    assert.deepEqual(problemsOf({ ...token, GATEHOUSE_NATS_CREDENTIALS_FILE: 'a.creds' }), [
      'GATEHOUSE_NATS_CREDENTIALS_FILE: must not be set, because GATEHOUSE_NATS_TOKEN is set',
    ]);
    const inUrl = problemsOf({ GATEHOUSE_NATS_URL: 'nats://user:hunter2@127.0.0.1' });
    assert.equal(inUrl.length, 1);
    assert.doesNotMatch(inUrl.join(), /hunter2/);
  });

  it('requires Kafka brokers and a complete credential if another Kafka setting is set', () => {
    assert.deepEqual(problemsOf({ GATEHOUSE_KAFKA_SASL: 'plain', GATEHOUSE_KAFKA_TOPIC: 'a' }), [
      'GATEHOUSE_KAFKA_BROKERS: must be set too, because GATEHOUSE_KAFKA_TOPIC is set',
      'GATEHOUSE_KAFKA_BROKERS: must be set too, because GATEHOUSE_KAFKA_SASL is set',
      'GATEHOUSE_KAFKA_USER: must be set too, because GATEHOUSE_KAFKA_SASL is set',
    ]);
  });

  it('accepts a PostgreSQL URL, and shows an example URL if the URL is invalid', () => {
    const env = { GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64') };
    for (const url of ['postgres://db/gatehouse', 'postgresql://u:p%40@db:5432/gatehouse'])
      assert.equal(settingsOf({ ...env, GATEHOUSE_DATABASE_URL: url }).databaseUrl?.reveal(), url);
    for (const url of ['mysql://db/gatehouse', 'postgres://u:p@db:port/gatehouse']) {
      const [problem] = problemsOf({ GATEHOUSE_DATABASE_URL: url });
      assert.match(problem ?? '', /^GATEHOUSE_DATABASE_URL: must be a URL such as postgres:/);
    }
  });

  it('accepts the minimum and maximum of a numeric setting and rejects values outside the range', () => {
    const ranges = [
      ['GATEHOUSE_PORT', 0, 65_535],
      ['GATEHOUSE_RATE_LIMIT_SIGN_IN', 0, 1_000_000],
      ['GATEHOUSE_RATE_LIMIT_EXCHANGE', 0, 1_000_000],
      ['GATEHOUSE_EVENTS_QUEUE_BYTES', 8 * MIB, 16 * 1024 * MIB],
    ] as const;
    for (const [variable, min, max] of ranges) {
      for (const right of [min, max]) assert.deepEqual(problemsOf({ [variable]: `${right}` }), []);
      for (const wrong of [min - 1, max + 1, '8e6', '0x20', ' 9', '1.5', '9'.repeat(20)]) {
        assert.equal(problemsOf({ [variable]: `${wrong}` }).length, 1, `${variable}=${wrong}`);
      }
    }
  });
});

describe('the public base URL', () => {
  it('is the configured URL, or is composed of the host and the listening port', () => {
    const set = settingsOf({ GATEHOUSE_BASE_URL: 'https://gate.example.com' });
    assert.equal(publicBaseUrl(set, 8080), 'https://gate.example.com');
    const hosts = [
      ['127.0.0.1', 'http://127.0.0.1:49152'],
      ['::1', 'http://[::1]:49152'],
      ['0.0.0.0', 'http://localhost:49152'],
      ['::', 'http://localhost:49152'],
    ] as const;
    for (const [host, url] of hosts) {
      assert.equal(publicBaseUrl(settingsOf({ GATEHOUSE_HOST: host }), 49_152), url);
    }
  });
});

describe('an unknown GATEHOUSE_ variable', () => {
  it('is reported together with the name of a similar setting', () => {
    const meant = {
      GATEHOUSE_TRUSTED_PROXY: 'GATEHOUSE_TRUSTED_PROXIES',
      GATEHOUSE_RATE_LIMIT_SIGNIN: 'GATEHOUSE_RATE_LIMIT_SIGN_IN',
      GATEHOUSE_PASSWORD: 'GATEHOUSE_ADMIN_PASSWORD',
      gatehouse_host: 'GATEHOUSE_HOST',
    };
    for (const [given, known] of Object.entries(meant)) {
      const line = `${given}: is not a setting of this release (did you mean ${known}?)`;
      assert.deepEqual(problemsOf({ [given]: 'x' }), [line]);
    }
  });

  it('is reported without a suggestion if no setting has a similar name', () => {
    assert.deepEqual(problemsOf({ GATEHOUSE_WEATHER: 'x' }), [
      'GATEHOUSE_WEATHER: is not a setting of this release',
    ]);
  });

  it('is explained if it belongs to the command line', () => {
    assert.deepEqual(problemsOf({ GATEHOUSE_URL: 'http://127.0.0.1:8080' }), [
      'GATEHOUSE_URL: is not a setting of this release; it is a variable of the command line: unset it for the service',
    ]);
  });

  it('is explained if Kubernetes sets this variable for a service called gatehouse', () => {
    assert.match(problemsOf({ GATEHOUSE_SERVICE_HOST: 'x' }).join(), /enableServiceLinks: false/);
    assert.match(
      problemsOf({ GATEHOUSE_PORT_80_TCP_ADDR: 'x' }).join(),
      /enableServiceLinks: false/,
    );
  });

  it('is ignored if the prefix is GATEHOUSE_TEST_ or is not GATEHOUSE_', () => {
    assert.deepEqual(
      problemsOf({ GATEHOUSE_TEST_CHROMIUM: 'x', PATH: 'x', GATEHOUSEKEEPER: 'x' }),
      [],
    );
  });
});
