import { render } from 'preact';
import '@gatehouse/widget/styles/tokens.css';
import '../styles/base.css';
import '../styles/layout.css';
import '../styles/controls.css';
import '../styles/content.css';
import { startTranslations } from '../translations/languages.ts';
import '../styles/knowledge.css';
import { App, fragment } from './app.tsx';
import { loadSession } from './client.ts';
import { preloadPage } from './routes.tsx';
import { watchConnection } from './watch-connection.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no element #app');
watchConnection();
// The session, the module of the page, its data and the texts are loaded at the same time.
const opening = loadSession();
opening.catch(() => {});
preloadPage(location, { withData: fragment.value === null });
await startTranslations();
render(<App opening={opening} />, root);
