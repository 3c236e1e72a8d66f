import { addStyle } from '../../styles/add-style.ts';
import tools from '../../styles/tools.css?inline';

// Code that is needed only if a model calls a tool. The build puts this code into one chunk.
export { ToolCalls } from './tool-calls.tsx';

addStyle(tools);
