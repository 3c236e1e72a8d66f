import Type from 'typebox';
import { Body, Bool, EXAMPLE_SPACE_ID, FreeObject, Text, Uuid } from '../common.ts';
import { Budget } from '../identity/budget.ts';

export const TTL_SECONDS = { minimum: 60, maximum: 2_592_000, default: 3600 } as const;

export const SpaceOfCaller = Uuid(
  'ID of the space. Required with a session. With an API key, the default is the space of the key.',
);

export const Features = Type.Object(
  {
    chatHistory: Type.Optional(Bool('`false`: conversations are not stored. Default `true`.')),
    attachments: Type.Optional(Bool('`false`: the chat accepts no attachments. Default `true`.')),
    suggestions: Type.Optional(
      Bool('`false`: answers suggest no further questions. Default `true`.'),
    ),
    reasoning: Type.Optional(
      Bool(
        '`true`: the chat shows the reasoning of a model, folded. It is never stored. It can repeat instructions, `context` and `userInformation`. Default `false`.',
      ),
    ),
  },
  { additionalProperties: true, description: 'Feature flags. Unknown flags are stored unchanged.' },
);

/** Members of the payload that a browser does not need. The response to an exchange omits them. */
export const SERVER_ONLY_CLAIMS = [
  'permissionFilter',
  'filter',
  'context',
  'systemPromptInsertion',
  'budget',
] as const;

/** Members of a link request that are copied unchanged into the link's payload. */
const claims = {
  sub: Type.Optional(
    Text({
      description:
        'Stable identifier of the user in your system. Stored conversations belong to this identifier.',
    }),
  ),
  email: Type.Optional(Text({ description: 'Email address of the user.' })),
  loginUrl: Type.Optional(
    Text({
      description:
        'URL where the user can get a new link: an absolute `http` or `https` URL, or a path that starts with a single `/`.',
      minLength: 1,
      maxLength: 2000,
    }),
  ),
  aud: Type.Optional(Text({ description: 'Intended recipient (the JWT claim `aud`).' })),
  iss: Type.Optional(Text({ description: 'Issuer (the JWT claim `iss`).' })),
  context: Type.Optional(
    FreeObject(
      'Facts about the page that embeds the assistant. The model receives them as data, not as instructions.',
    ),
  ),
  widget: Type.Optional(
    FreeObject(
      'Appearance of the widget: `title`, `greeting`, `placeholder`, `suggestions`, `theme`, `locale`, `position` and `logo` (a `data:` URL of a PNG, JPEG, WebP, GIF or SVG image of at most 32 kB). Overrides the settings of the bot. Invalid values are stored and ignored.',
    ),
  ),
  filter: Type.Optional(
    FreeObject(
      'Filter that narrows searches further. It cannot widen `permissionFilter`. Members that are neither plain values nor valid filters are ignored, so put every restriction into `permissionFilter`.',
    ),
  ),
  features: Type.Optional(Features),
  systemPromptInsertion: Type.Optional(
    Text({ description: 'Text to append to the system prompt.' }),
  ),
  budget: Type.Optional(Budget),
  permissionFilter: Type.Optional(
    FreeObject(
      'Filter for the documents that the link may see, in the filter language. Unknown operators are rejected. A dotted name reaches into nested metadata and into every object of a list. On a list, an operator except `tp` holds if it holds for any element, and `ne` holds if no element is equal.',
      'PermissionFilter',
    ),
  ),
};

export const LinkRequest = Body(
  {
    ...claims,
    spaceId: Type.Optional(SpaceOfCaller),
    botId: Type.Optional(
      Type.Integer({
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Deprecated; use `spaceId`. ID of a bot in the space.',
        deprecated: true,
      }),
    ),
    exp: Type.Optional(
      Type.Number({
        description: 'Time of expiry in Unix seconds. Takes precedence over `ttlSeconds`.',
      }),
    ),
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: TTL_SECONDS.minimum,
        maximum: TTL_SECONDS.maximum,
        description: 'Lifetime in seconds, used if `exp` is omitted. Default 3,600.',
      }),
    ),
    userInformation: Type.Optional(
      FreeObject(
        'Facts about the user. The model receives them as data, not as instructions. The payload does not contain them.',
      ),
    ),
  },
  { description: 'All members are optional.' },
);
export type LinkRequest = Type.Static<typeof LinkRequest>;

export const JwtPayload = Type.Object({
  v: Type.Number({ description: 'Version of the payload: `1`.' }),
  ...claims,
  spaceId: Uuid('ID of the space.'),
  botId: Type.Optional(
    Type.Number({ description: 'ID of the bot. Present if the request contained `botId`.' }),
  ),
  exp: Type.Number({ description: 'Time of expiry in Unix seconds.' }),
});
export type JwtPayload = Type.Static<typeof JwtPayload>;

export const exampleLinkRequest = {
  spaceId: EXAMPLE_SPACE_ID,
  sub: 'customer-42',
  ttlSeconds: 3600,
  permissionFilter: { department: { in: ['sales', 'support'] } },
};
export const EXAMPLE_PAYLOAD = {
  v: 1,
  sub: 'customer-42',
  permissionFilter: { department: { in: ['sales', 'support'] } },
  spaceId: EXAMPLE_SPACE_ID,
  exp: 1_792_318_200,
};
