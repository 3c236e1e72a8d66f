import { signal } from '@preact/signals';
import { render } from 'preact';

const n = signal(0);
const App = () => (
  <button type="button" onClick={() => n.value++}>
    {n}
  </button>
);
render(<App />, document.body);
