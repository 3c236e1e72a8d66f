import type { ToolPart } from '../../chat/message.ts';
import type { PageCall } from '../../page-tools/page-calls.ts';

export interface ShownCall {
  readonly id: string;
  readonly name: string;
  /** Set if the tool is one of the embedding page. */
  readonly page?: PageCall;
  readonly input: unknown;
  /** `true` if the call needs the consent of the person. */
  readonly needsConsent: boolean;
  readonly state: 'running' | 'done' | 'failed' | 'denied';
}

type Metadata = { readonly gatehouse?: { readonly runsIn?: string } } | undefined;

const STATES: Readonly<Record<string, ShownCall['state']>> = {
  'tool-output-available': 'done',
  'tool-output-error': 'failed',
  'tool-output-denied': 'denied',
};

/** Returns the calls that the parts of an answer describe, in order. Parts of unknown calls are ignored. */
export function callsOf(parts: readonly ToolPart[]): ShownCall[] {
  const calls = new Map<string, ShownCall>();
  for (const { type, toolCallId: id, toolName, title, input, providerMetadata } of parts) {
    const known = calls.get(id);
    const state = STATES[type];
    if (type === 'tool-input-available' && known === undefined) {
      const name = String(title ?? toolName);
      const isOfPage = (providerMetadata as Metadata)?.gatehouse?.runsIn === 'page';
      const page = { id, toolName: String(toolName), input: input as object };
      calls.set(id, {
        id,
        name,
        input,
        needsConsent: false,
        state: 'running',
        ...(isOfPage ? { page } : {}),
      });
    } else if (known === undefined) continue;
    else if (type === 'tool-approval-request') calls.set(id, { ...known, needsConsent: true });
    else if (state !== undefined) calls.set(id, { ...known, state });
  }
  return [...calls.values()];
}

/** Characters without a visible form, and characters that reorder text. Line feeds are part of the layout. */
const INVISIBLE = /(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

/** Returns arguments as JSON. Invisible characters are escaped, so that the person sees exactly what is sent. */
export function inputText(input: unknown): string {
  return JSON.stringify(input, null, 2).replace(
    INVISIBLE,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
