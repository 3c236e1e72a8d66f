import { ApiError, MAX_TOOLS } from '@gatehouse/contract';

export function noSuchTool(): ApiError {
  return new ApiError({
    status: 404,
    code: 'chat.no-tool',
    message: 'This bot has no tool with this ID.',
  });
}

export function tooManyTools(): ApiError {
  return new ApiError({
    status: 409,
    code: 'chat.too-many-tools',
    message: `A bot can have at most ${MAX_TOOLS} tools; delete one first.`,
  });
}

export function nameTaken(): ApiError {
  return new ApiError({
    status: 409,
    code: 'chat.tool-name-taken',
    message: 'The bot already has a tool with this name; choose another name.',
  });
}

/** Also the error for a call of another link, so callers cannot probe for IDs. */
export function noSuchPageCall(): ApiError {
  return new ApiError({
    status: 404,
    code: 'chat.no-tool-call',
    message: 'No tool call with this ID waits for a result from this link.',
  });
}

/** Also the error for a call of another link, so callers cannot probe for IDs. */
export function noSuchToolCall(): ApiError {
  return new ApiError({
    status: 404,
    code: 'chat.no-tool-call',
    message: 'No tool call with this ID waits for a decision of this link.',
  });
}
