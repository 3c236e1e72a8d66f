import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tables } from '../../bench/model/tables.ts';

const FILE = join(import.meta.dirname, '../../docs/operations.md');
const MODEL = /(<!-- model: begin[^>]*-->\n)[\s\S]*?(<!-- model: end -->)/;

/** Returns the text of `docs/operations.md` with the current tables of the capacity model. */
export function renderOperations(): string {
  const text = readFileSync(FILE, 'utf8');
  if (!MODEL.test(text))
    throw new Error(`${FILE} has no markers for the tables of the capacity model`);
  return text.replace(MODEL, (_, begin: string, end: string) => `${begin}\n${tables()}\n\n${end}`);
}
