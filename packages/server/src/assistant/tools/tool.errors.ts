import { type ApiError, MAX_TOOLS } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

export function noSuchTool(): ApiError {
  return notFound('chat.no-tool', 'This bot has no tool with this ID.');
}

export function tooManyTools(): ApiError {
  return conflict(
    'chat.too-many-tools',
    `A bot can have at most ${MAX_TOOLS} tools; delete one first.`,
  );
}

export function nameTaken(): ApiError {
  return conflict(
    'chat.tool-name-taken',
    'The bot already has a tool with this name; choose another name.',
  );
}

/** Also the error for a call of another link, so callers cannot probe for IDs. */
export function noSuchPageCall(): ApiError {
  return notFound(
    'chat.no-tool-call',
    'No tool call with this ID waits for a result from this link.',
  );
}

/** Also the error for a call of another link, so callers cannot probe for IDs. */
export function noSuchToolCall(): ApiError {
  return notFound(
    'chat.no-tool-call',
    'No tool call with this ID waits for a decision of this link.',
  );
}
