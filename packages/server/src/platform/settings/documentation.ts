import type { z } from 'zod';
import { table } from './table.ts';

/** The documentation of one setting; texts are Markdown. */
export interface SettingDocumentation {
  readonly variable: string;
  readonly description: string;
  /** Describes the accepted texts. */
  readonly value: string;
  readonly default: string;
  readonly secret?: boolean;
}

/** Returns the documentation of all settings. */
export function documentSettings(): SettingDocumentation[] {
  return Object.entries(table).map(
    ([variable, schema]) => ({ variable, ...metadataOf(schema) }) as SettingDocumentation,
  );
}

/** Returns the metadata of a schema and of the schemas it wraps; the outer ones take precedence. */
function metadataOf(schema: z.core.$ZodType): object {
  const { innerType, in: input } = schema._zod.def as Partial<z.core.$ZodDefaultDef> &
    Partial<z.core.$ZodPipeDef>;
  const inner = innerType ?? input;
  return { ...(inner && metadataOf(inner)), ...(schema as z.ZodType).meta() };
}
