import { addStyle } from '../../styles/add-style.ts';
import attachments from '../../styles/attachments.css?inline';

// Code that is needed only if the link accepts attachments. The build puts this code into one chunk, which is fetched after the
// first rendering.
export { AttachBar } from './attach-bar.tsx';

addStyle(attachments);
