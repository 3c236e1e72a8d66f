import { nameHint } from '@gatehouse/contract';
import { z } from 'zod';
import { endpoint, modelKey, modelName } from './schemas.ts';

// Schemas of the settings of models, in the style of `schemas.ts`.

/** A model with its own API, under the name that bots and other settings use. */
export interface NamedModel {
  readonly name: string;
  readonly api: { readonly url: string; readonly key: string | null };
  /** Name of the model in its API. */
  readonly model: string;
  /** Prices per million tokens. `null`: costs are not recorded. */
  readonly prices: { readonly input: number; readonly output: number } | null;
}

const FORM =
  'must be a JSON object that maps names to models, such as {"large":{"url":"https://api.example/v1","key":"sk-1","model":"large-2","priceInput":2.5,"priceOutput":10}}; only url is required, and priceInput and priceOutput must be given together';

const PRICE = 'must be a number from 0 to 1,000,000';
const priceNumber = z.number().min(0, PRICE).max(1_000_000, PRICE);

type Member = 'url' | 'key' | 'model' | 'priceInput' | 'priceOutput';
/** The form of each member, without values. */
const FORMS: Readonly<Record<Member, string>> = {
  url: 'must be an absolute http:// or https:// URL',
  key: 'must be a string',
  model: 'must be a string',
  priceInput: PRICE,
  priceOutput: PRICE,
};
const MEMBERS = Object.keys(FORMS);

const entry = z
  .strictObject({
    url: endpoint,
    key: modelKey.optional(),
    model: modelName.optional(),
    priceInput: priceNumber.optional(),
    priceOutput: priceNumber.optional(),
  })
  .refine(
    ({ priceInput, priceOutput }) => (priceInput === undefined) === (priceOutput === undefined),
    'must have both or neither of `priceInput` and `priceOutput`',
  );

export const models = z
  .string()
  .transform((text, context) => {
    const byName = z.record(modelName, entry).safeParse(parsed(text));
    if (byName.success) return byName.data;
    context.addIssue(problemOf(byName.error));
    return z.NEVER;
  })
  .transform((byName): readonly NamedModel[] =>
    Object.entries(byName).map(
      ([name, { url, key = null, model = name, priceInput, priceOutput }]) => ({
        name,
        api: { url, key },
        model,
        prices:
          priceInput === undefined || priceOutput === undefined
            ? null
            : { input: priceInput, output: priceOutput },
      }),
    ),
  )
  .meta({
    value:
      'JSON object: name → `url`, and optionally `key`, `model` (default: the name), `priceInput` and `priceOutput`',
  });

/** Describes the first problem. Unknown members are not printed, because a misplaced key could be among them. */
function problemOf({ issues: [issue] }: z.ZodError): string {
  const [name, member] = issue?.path ?? [];
  if (issue === undefined || name === undefined || issue.code === 'invalid_key') return FORM;
  const at = `model ${String(name)}`;
  if (issue.code === 'unrecognized_keys') {
    const hint = nameHint(issue.keys[0] ?? '', MEMBERS);
    return `${at}: unknown member${hint}; the members are ${MEMBERS.join(', ')}`;
  }
  if (member === undefined) return issue.code === 'custom' ? `${at}: ${issue.message}` : FORM;
  return member === 'url' && issue.message.includes('credentials')
    ? `${at}: url ${issue.message}; put the API key into key`
    : `${at}: ${String(member)} ${issue.code === 'invalid_type' ? FORMS[member as Member] : issue.message}`;
}

/** Returns the names in a value of `GATEHOUSE_MODELS`, even if the value is invalid. */
export function namesOfModels(text: string | undefined): ReadonlySet<string> {
  const value = parsed(text ?? '{}');
  return new Set(typeof value === 'object' && value !== null ? Object.keys(value) : []);
}

/** Returns the value of a JSON text, or undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
