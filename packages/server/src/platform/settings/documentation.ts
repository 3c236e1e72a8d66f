import type { z } from 'zod';
import { table } from './table.ts';

/** The documentation of one setting. All strings are Markdown. */
export interface SettingDocumentation {
  readonly variable: string;
  readonly description: string;
  readonly value: string;
  readonly default: string;
  readonly secret?: boolean;
}

export function documentSettings(): SettingDocumentation[] {
  return Object.entries(table).map(
    ([variable, schema]) => ({ variable, ...metadataOf(schema) }) as SettingDocumentation,
  );
}

/** Returns the merged metadata of a schema and of the schemas it wraps. Metadata of outer schemas takes precedence. */
function metadataOf(schema: z.core.$ZodType): object {
  const { innerType, in: input } = schema._zod.def as Partial<z.core.$ZodDefaultDef> &
    Partial<z.core.$ZodPipeDef>;
  const inner = innerType ?? input;
  return { ...(inner && metadataOf(inner)), ...(schema as z.ZodType).meta() };
}
