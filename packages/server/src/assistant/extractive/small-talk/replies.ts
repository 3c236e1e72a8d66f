import type { AssistantTexts } from '../../answerer.ts';
import { escapeMarkdown } from '../compose.ts';
import { PHRASES } from '../phrases.ts';
import { detectLanguage, type Language } from '../words/language.ts';
import type { SmallTalkKind } from './small-talk-words.ts';

/** Maximum number of suggested questions. */
const MAX_SUGGESTIONS = 3;

/** Returns the reply to small talk. It consists of the answerer's phrases and the texts of the bot and the link. */
export function replyTo(kind: SmallTalkKind, texts: AssistantTexts, language: Language): string {
  const { name, replies } = PHRASES[language];
  const introduction = name.replace('{name}', () => escapeMarkdown(texts.title ?? texts.name));
  const suggestions = suggestionsIn(texts, language);
  switch (kind) {
    case 'greeting':
      return (greetingIn(texts, language) ?? `${replies.greeting} ${introduction}`) + suggestions;
    case 'identity':
      return `${introduction} ${replies.identity}${suggestions}`;
    case 'human':
      if (texts.hasHandoff) return `${introduction} ${PHRASES[language].handoff}`;
      if (texts.contact !== undefined) return `${introduction} ${contactIn(texts)}`;
      return `${introduction} ${replies.human} ${replies.identity}${suggestions}`;
    default:
      return replies[kind];
  }
}

/** Returns the configured greeting, or `null` if there is none in the language of the question. */
function greetingIn({ greeting }: AssistantTexts, asked: Language): string | null {
  const configured = greeting?.trim() ?? '';
  if (configured === '' || (detectLanguage(configured) ?? asked) !== asked) return null;
  return escapeMarkdown(configured);
}

/** Returns the reply to a question that the documents do not answer. Does not suggest the same question. */
export function nothingFound(texts: AssistantTexts, language: Language, question: string): string {
  const suggestions = texts.suggestions.filter((one) => one.trim() !== question.trim());
  const { nothing, handoff } = PHRASES[language];
  const person = texts.hasHandoff ? handoff : contactIn(texts);
  return [nothing, person].join(' ').trim() + suggestionsIn({ suggestions }, language);
}

/** Returns the text that says whom to contact, or an empty text. */
function contactIn({ contact = '' }: AssistantTexts): string {
  return escapeMarkdown(contact.replace(/\s+/g, ' ').trim());
}

/** Returns the configured suggestions as a list, or an empty text if there are none. */
function suggestionsIn(
  { suggestions }: Pick<AssistantTexts, 'suggestions'>,
  language: Language,
): string {
  const listed = suggestions
    .map((suggestion) => suggestion.replace(/\s+/g, ' ').trim())
    .filter((suggestion) => suggestion !== '')
    .slice(0, MAX_SUGGESTIONS);
  if (listed.length === 0) return '';
  const items = listed.map((suggestion) => `\n- ${escapeMarkdown(suggestion)}`);
  return `\n\n${PHRASES[language].suggestions}\n${items.join('')}`;
}
