import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { GatehouseChat } from './gatehouse-chat.tsx';

/** The URL of Gatehouse. */
const SERVICE = document.documentElement.dataset['gatehouse'] ?? 'http://127.0.0.1:8080';

/** Calls your own backend, which knows the signed-in user and requests a link from Gatehouse. */
async function getToken(): Promise<string> {
  const response = await fetch('/api/assistant-token', { method: 'POST' });
  if (!response.ok) throw new Error(`creating the link failed with status ${response.status}`);
  const { token } = await response.json();
  return token;
}

function Shop() {
  const [product, setProduct] = useState('lamp-nine');
  const [answers, setAnswers] = useState(0);
  return (
    <>
      <h1>Lamps</h1>
      <p>
        <button type="button" onClick={() => setProduct('lamp-ten')}>
          {product}
        </button>
        <output>{answers}</output>
      </p>
      <GatehouseChat
        service={SERVICE}
        getToken={getToken}
        label="Ask about lamps"
        context={{ product }}
        onAnswer={() => setAnswers((count) => count + 1)}
      />
    </>
  );
}

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Shop />
    </StrictMode>,
  );
