import { render } from 'preact';
import '@gatehouse/widget/styles/tokens.css';
import '../styles/base.css';
import '../styles/layout.css';
import '../styles/controls.css';
import '../styles/content.css';
import { startTranslations } from '../translations/languages.ts';
import '../styles/knowledge.css';
import { App } from './app.tsx';
import { watchConnection } from './watch-connection.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no element #app');
watchConnection();
await startTranslations();
render(<App />, root);
