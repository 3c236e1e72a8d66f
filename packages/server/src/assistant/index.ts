export { AnswerFailure } from './answerer.ts';
export { createAttachmentRepository } from './attachments/attachment.repository.ts';
export { createAnswerer } from './choose-answerer.ts';
export { createConversationEvents } from './conversation-events/conversation-events.ts';
export { createConversationRemoval } from './conversations/conversation-retention.repository.ts';
export {
  type AssistantModule,
  createAssistant,
  newestConversationIn,
  registerAssistantRoutes,
} from './create-assistant.ts';
export { registerMcpRoutes } from './mcp/mcp.routes.ts';
export { createModelDirectory, type ModelDirectory, type Prices } from './models/index.ts';
export { TOOL_LIMITS } from './tools/index.ts';
export { countTurns } from './turns/turn.metrics.ts';
