import { isUtf8 } from 'node:buffer';
import { readJsonMember } from '../http/index.ts';

/** Returns the JSON value in the `data_base64` of an event. Rejects duplicate members, which could hide a restriction. */
export function readEncodedData(encoded: string): ReturnType<typeof readJsonMember> {
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return { ok: false, issues: [{ message: 'data_base64: must be UTF-8' }] };
  return readJsonMember(bytes.toString(), 'data');
}
