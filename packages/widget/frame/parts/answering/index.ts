import { addStyle } from '../../style/add-style.ts';
import css from '../../style/answering.css?inline';

// All that nothing needs before the first answer: fetched with it, as one.
export { createAnnouncer } from '../../announce/index.ts';
export { AnswerView } from './answer-view.tsx';
export { PassageDialog } from './passage-dialog.tsx';

addStyle(css);
