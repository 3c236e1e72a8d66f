import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type LinksUnderTest, openLinks, SHOP, SHOP_BOT } from '../links.suite.ts';

/** JSON texts of valid and invalid values of a member. An issue that starts with `^` is a regular expression. */
interface Table {
  readonly good: readonly string[];
  readonly bad: readonly (readonly [json: string, issue: string])[];
}

const MAX = 9007199254740991;
const UNSTORABLE = 'must not contain U+0000 or a lone surrogate';
const NO_UUID = 'must be a UUID, such as 0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const PATH_OR_URL =
  'must be an absolute URL that starts with https:// or http://, or a path that starts with one "/"';
const UNSAFE = 'must not contain spaces, control characters or backslashes; percent-encode them';
const quoted = (text: string) => JSON.stringify(text);
const nested = (depth: number) => `${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}`;

const text: Table = {
  good: ['""', '"x"', '"ü💥"', quoted('x'.repeat(100_000)), '"\\ud83d\\ude00"'],
  bad: [
    ['null', 'must be a string'],
    ['7', 'must be a string'],
    ['["x"]', 'must be a string'],
    ['"\\u0000"', UNSTORABLE],
    ['"\\ud800"', UNSTORABLE],
    ['"\\udc00\\ud800"', UNSTORABLE],
  ],
};
const freeObject: Table = {
  good: [
    '{}',
    '{"a":null}',
    '{"__proto__":{"a":1}}',
    '{"n":1e400}',
    '{"a":{"b":[{"c":"\\u0000"}]}}',
  ],
  bad: [
    ['null', 'must be an object'],
    ['[]', 'must be an object'],
    ['"x"', 'must be an object'],
    ['true', 'must be an object'],
  ],
};

const tables: Readonly<Record<string, Table>> = {
  sub: text,
  email: text,
  aud: text,
  iss: text,
  systemPromptInsertion: text,
  context: freeObject,
  widget: freeObject,
  filter: freeObject,
  userInformation: freeObject,
  features: {
    good: ['{}', '{"chatHistory":true}', '{"chatHistory":false,"other":[1]}'],
    bad: [
      ['[]', 'must be an object'],
      ['null', 'must be an object'],
      ['{"chatHistory":null}', 'features.chatHistory: must be a boolean'],
      ['{"chatHistory":"false"}', 'features.chatHistory: must be a boolean'],
      ['{"chatHistory":0}', 'features.chatHistory: must be a boolean'],
    ],
  },
  ttlSeconds: {
    good: ['60', '61', '2592000', '60.0', '6e1'],
    bad: [
      ['59', 'must be at least 60'],
      ['2592001', 'must be at most 2592000'],
      ['60.5', 'must be an integer'],
      ['"60"', 'must be an integer'],
      ['null', 'must be an integer'],
      ['-60', 'must be at least 60'],
      ['1e400', 'must be an integer'],
    ],
  },
  exp: {
    good: ['4102444800', '4102444800.25', '1e300', '4.1024448e9'],
    bad: [
      ['"4102444800"', 'must be a number'],
      ['"NaN"', 'must be a number'],
      ['null', 'must be a number'],
      ['true', 'must be a number'],
      ['1e400', 'must be a number'],
    ],
  },
  botId: {
    good: [String(SHOP_BOT), `${SHOP_BOT}.0`],
    bad: [
      ['9007199254740992', `must be at most ${MAX}`],
      ['-9007199254740992', `must be at least -${MAX}`],
      ['1.5', 'must be an integer'],
      ['"1"', 'must be an integer'],
      ['null', 'must be an integer'],
    ],
  },
  spaceId: {
    good: [quoted(SHOP), quoted(SHOP.toUpperCase())],
    bad: [
      ['""', NO_UUID],
      ['"x"', NO_UUID],
      ['7', 'must be a string'],
      ['null', 'must be a string'],
      [quoted(SHOP.replace('-7b54', '-0b54')), NO_UUID],
      [quoted(SHOP.replace('-7b54', '-9b54')), NO_UUID],
      [quoted(SHOP.replace('-9d3f', '-7d3f')), NO_UUID],
      [quoted(SHOP.replace('-9d3f', '-cd3f')), NO_UUID],
      [quoted(` ${SHOP}`), NO_UUID],
      [quoted(`${SHOP}\n`), NO_UUID],
      [quoted(`{${SHOP}}`), NO_UUID],
      [quoted(SHOP.replaceAll('-', '')), NO_UUID],
    ],
  },
  loginUrl: {
    good: [
      '"/"',
      '"/x"',
      '"https://shop.example/login?a=b"',
      quoted(`/${'x'.repeat(1999)}`),
      quoted(`/${'💥'.repeat(1999)}`),
    ],
    bad: [
      ['""', 'must not be empty'],
      [quoted(`/${'x'.repeat(2000)}`), 'must have at most 2000 characters'],
      ['7', 'must be a string'],
      ['null', 'must be a string'],
      [
        '"//x"',
        'must start with one "/", not two; use an absolute URL with https:// for another host',
      ],
      ['"/\\\\x"', UNSAFE],
      ['"javascript:alert(1)"', PATH_OR_URL],
      ['"http:x"', PATH_OR_URL],
      ['"x"', PATH_OR_URL],
      ['"/a b"', UNSAFE],
      ['"/a\\n"', UNSAFE],
      ['"/a\\tb"', UNSAFE],
      [
        '"https://user:password@shop.example"',
        'must not contain a user name or password before the host',
      ],
      ['"https://shop.example:99999"', 'must be a valid URL; its host or port is invalid'],
    ],
  },
  permissionFilter: {
    good: [
      '{}',
      '{"and":[]}',
      '{"department":{"in":["sales","support"]}}',
      '{"a":null}',
      '{"not":{"or":[{"search":"x"},{"a.b":{"gte":1,"lt":2}}]}}',
      '{"__proto__":{"eq":1}}',
      nested(31),
    ],
    bad: [
      ['null', 'must be an object'],
      ['[]', 'must be an object'],
      ['{"a":1}', /^permissionFilter\.a: /.source],
      ['{"a":{"equals":1}}', /^permissionFilter\.a\.equals: /.source],
      ['{"search":"*"}', /^permissionFilter\.search: /.source],
      ['{"or":{}}', /^permissionFilter\.or: /.source],
      ['{"a":{"eq":1e400}}', /^permissionFilter\.a\.eq: /.source],
      ['{"a":{"like":7}}', /^permissionFilter\.a\.like: /.source],
      [nested(60), /^permissionFilter.*: /.source],
      [`{"a":{"in":[${Array(1001).fill(1).join()}]}}`, /^permissionFilter\.a\.in: /.source],
      [`{"or":[${Array(600).fill('{"a":{"eq":1}}').join()}]}`, /^permissionFilter.*: /.source],
      [`{"a":{"eq":${quoted('x'.repeat(1001))}}}`, /^permissionFilter\.a\.eq: /.source],
    ],
  },
};

describe('validating a link request', () => {
  let gate: LinksUnderTest;
  let editor: Readonly<Record<string, string>>;
  before(async () => {
    gate = await openLinks();
    editor = await gate.asUser('editor');
  });
  after(() => gate[Symbol.asyncDispose]());

  /** Posts a link request with one member. The request is for the space Shop unless the member is `spaceId`. */
  const post = (name: string, json: string) => {
    const space = name === 'spaceId' ? '' : `"spaceId":"${SHOP}",`;
    return gate.create(editor, `{${space}${quoted(name)}:${json}}`);
  };
  const short = (json: string) => (json.length > 60 ? `${json.slice(0, 60)}…` : json);

  for (const [name, { good, bad }] of Object.entries(tables)) {
    for (const json of good)
      test(`accepts ${name} ${short(json)}`, async () => {
        const answer = await post(name, json);
        assert.equal(answer.statusCode, 200, answer.body);
      });
    for (const [json, issue] of bad)
      test(`rejects ${name} ${short(json)}`, async () => {
        const answer = await post(name, json);
        assert.equal(answer.statusCode, 400, answer.body);
        assert.equal(answer.json().code, 'links.invalid');
        const messages: string[] = answer
          .json()
          .issues.map((one: { message: string }) => one.message);
        if (issue.startsWith('^')) assert.match(messages[0] ?? '', new RegExp(issue));
        else
          assert.deepEqual(messages, [issue.startsWith(`${name}.`) ? issue : `${name}: ${issue}`]);
      });
  }

  test('rejects an exp that is not in the future and reports the current time', async () => {
    const now = gate.now / 1000;
    for (const exp of [-1, 0, now - 1, now]) {
      const [issue] = (await post('exp', String(exp))).json().issues;
      const time = new Date(gate.now).toISOString();
      assert.equal(
        issue.message,
        `exp: must be a time in the future, in Unix seconds; the current time is ${now} (${time})`,
      );
    }
    assert.equal((await post('exp', String(now + 0.5))).statusCode, 200);
  });

  test('validates ttlSeconds even if the request has an exp, which takes precedence', async () => {
    const exp = gate.now / 1000 + 10;
    const good = await gate.create(editor, { spaceId: SHOP, exp, ttlSeconds: 2592000 });
    assert.equal(good.json().jwtPayload.exp, exp);
    const bad = await gate.create(editor, { spaceId: SHOP, exp, ttlSeconds: 59 });
    assert.deepEqual(bad.json().issues, [{ message: 'ttlSeconds: must be at least 60' }]);
  });

  for (const id of [
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((version) => SHOP.replace('-7b54', `-${version}aaa`)),
    ...['8', '9', 'a', 'b', 'A', 'B'].map((variant) => SHOP.replace('-9d3f', `-${variant}aaa`)),
  ])
    test(`accepts the valid space ID ${id}, but denies access to the unknown space`, async () => {
      assert.equal((await post('spaceId', quoted(id))).statusCode, 403);
    });

  for (const botId of [MAX, -MAX, 0])
    test(`accepts the valid bot ID ${botId}, but denies access to the unknown bot`, async () => {
      assert.equal((await gate.create(editor, { botId })).statusCode, 403);
    });

  test('rejects unknown members and suggests similar names', async () => {
    const body = { spaceId: SHOP, permission_filter: {}, ttl: 60, constructor: 1, xyzzy: 1 };
    assert.deepEqual((await gate.create(editor, body)).json().issues, [
      { message: 'permission_filter: unknown member (did you mean permissionFilter?)' },
      { message: 'ttl: unknown member (did you mean ttlSeconds?)' },
      { message: 'constructor: unknown member' },
      { message: 'xyzzy: unknown member' },
    ]);
    const proto = await gate.create(editor, `{"spaceId":"${SHOP}","__proto__":{"sub":"x"}}`);
    assert.deepEqual(proto.json().issues, [{ message: '__proto__: unknown member' }]);
  });

  test('reports all problems at once, both violations of the schema and other problems', async () => {
    const body = {
      ttlSeconds: 59,
      exp: 0,
      loginUrl: '//x',
      sub: 7,
      permissionFilter: { a: { equals: 1 }, search: '.*' },
      xyzzy: 1,
    };
    const { issues } = (await gate.create(editor, body)).json();
    const paths = issues.map(({ message }: { message: string }) => message.split(':')[0]).sort();
    assert.deepEqual(paths, [
      'exp',
      'loginUrl',
      'permissionFilter.a.equals',
      'permissionFilter.search',
      'spaceId',
      'sub',
      'ttlSeconds',
      'xyzzy',
    ]);
  });

  for (const [words, body] of [
    ['empty', ''],
    ['truncated', `{"spaceId":"${SHOP}"`],
    ['NaN', `{"spaceId":"${SHOP}","exp":NaN}`],
    ['with a byte order mark', '\ufeff{}'],
    ['with a member twice', `{"spaceId":"${SHOP}","sub":"a","sub":"b"}`],
    ['with a free member twice', `{"spaceId":"${SHOP}","context":{"a":1,"a":2}}`],
    ['nested deeply', `{"context":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
  ] as const)
    test(`rejects a body that is ${words}`, async () => {
      assert.equal((await gate.create(editor, body)).statusCode, 400);
    });
});
