import { Parser } from 'htmlparser2';
import type { Token } from 'marked';

/** The text of inline tokens, without their marks. A line break that was meant is `\n`. */
export function inlineText(tokens: readonly Token[] | undefined): string {
  let text = '';
  for (const token of tokens ?? []) text += textOf(token);
  return text;
}

function textOf(token: Token): string {
  const { text = '' } = token as { readonly text?: string };
  switch (token.type) {
    case 'br':
      return '\n';
    case 'html':
      return /^<br\b/i.test(token.raw) ? '\n' : '';
    case 'codespan':
    case 'escape':
      return text;
    case 'image':
      return decodeEntities(text);
    default: {
      const { tokens } = token as { tokens?: Token[] };
      if (tokens !== undefined) return inlineText(tokens);
      return decodeEntities(text).replaceAll('\n', ' ');
    }
  }
}

/** marked leaves entities to the browser. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  let decoded = '';
  const parser = new Parser({
    ontext: (part) => {
      decoded += part;
    },
  });
  parser.end(text.replaceAll('<', '&lt;'));
  return decoded;
}
