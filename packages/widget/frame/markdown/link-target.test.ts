import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDisguised, targetOf } from './link-target.ts';

describe('targetOf', () => {
  test('accepts http, https, mailto and tel', () => {
    assert.deepEqual(targetOf('https://docs.example/a?b#c'), {
      href: 'https://docs.example/a?b#c',
      address: 'docs.example',
      misleads: false,
    });
    assert.deepEqual(targetOf('http://docs.example:8080'), {
      href: 'http://docs.example:8080/',
      address: 'docs.example:8080',
      misleads: false,
    });
    assert.deepEqual(targetOf('mailto:a@b.example'), {
      href: 'mailto:a@b.example',
      address: 'a@b.example',
      misleads: false,
    });
    assert.deepEqual(targetOf('tel:+49-30-1234'), {
      href: 'tel:+49-30-1234',
      address: '+49-30-1234',
      misleads: false,
    });
  });

  const REFUSED = [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    ' \u0000\u001fjavascript:alert(1)',
    'jav&#x09;ascript:alert(1)',
    '\u200bjavascript:alert(1)',
    'javascript\u003aalert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'blob:https://docs.example/1',
    'file:///etc/passwd',
    'ftp://docs.example/',
    'intent://scan/#Intent;end',
    'view-source:https://docs.example',
    'about:blank',
    'ws://docs.example',
    '//evil.example/x',
    '/relative',
    'relative',
    '?query',
    '#fragment',
    '',
    'https://',
    'https://exa mple/',
    'mailto:',
    'mailto:nobody',
    'mailto:a@b.example,c@d.example',
    'tel:',
    'tel:alert(1)',
  ];
  for (const href of REFUSED)
    test(`rejects ${JSON.stringify(href)}`, () => assert.equal(targetOf(href), null));

  test('parses a URL in the same way as the browser', () => {
    for (const href of [
      'https:docs.example',
      'https:/\\docs.example',
      ' https://docs.example',
      'ht\ntps://docs.example',
    ])
      assert.equal(targetOf(href)?.href, 'https://docs.example/', href);
  });

  test('removes the user name and password', () => {
    assert.deepEqual(targetOf('https://bank.example:pay@evil.example/x'), {
      href: 'https://evil.example/x',
      address: 'evil.example',
      misleads: true,
    });
  });

  test('returns the host in ASCII', () => {
    assert.equal(targetOf('https://bаnk.example')?.address, 'xn--bnk-6cd.example');
    assert.equal(targetOf('https://ｂａｎｋ。example')?.address, 'bank.example');
  });

  test('drops the query of a mail address', () => {
    assert.equal(
      targetOf('mailto:a@b.example?bcc=evil@x.example&body=secret')?.href,
      'mailto:a@b.example',
    );
  });
});

describe('isDisguised', () => {
  const isDisguisedLink = (text: string, href: string) => {
    const target = targetOf(href);
    assert.ok(target !== null);
    return isDisguised(text, target);
  };

  const DISGUISED = [
    ['bank.example', 'https://evil.example'],
    ['https://bank.example/login', 'https://evil.example/'],
    ['Go to bank.example now', 'https://evil.example'],
    ['(bank.example)', 'https://evil.example'],
    ['b\u200ban\u202ek.example', 'https://evil.example'],
    ['bank。example', 'https://evil.example'],
    ['ｂａｎｋ．example', 'https://evil.example'],
    ['https://bank.example@evil.example', 'https://bank.example@evil.example'],
    ['https://evil.example:pw@bank.example', 'https://evil.example:pw@bank.example'],
    ['bank.example∕evil.example', 'https://evil.example'],
    ['evil.example.bank.example', 'https://evil.example'],
    ['192.168.0.1', 'https://evil.example'],
    ['help@bank.example', 'https://evil.example'],
    ['help@bank.example', 'mailto:help@evil.example'],
    ['bаnk.example', 'https://bаnk.example'],
    ['our bank', 'https://bаnk.example'],
    ['our bank', 'https://bank.example@evil.example'],
    ['our bank', 'mailto:help@bаnk.example'],
    ['+49 30 1234567', 'tel:+49309999999'],
  ] as const;
  for (const [text, href] of DISGUISED)
    test(`detects ${JSON.stringify(text)} with target ${href}`, () =>
      assert.ok(isDisguisedLink(text, href)));

  const HONEST = [
    ['the guide', 'https://docs.example'],
    ['docs.example', 'https://docs.example/a/b'],
    ['https://docs.example/file.pdf?x=y.z', 'https://docs.example/file.pdf?x=y.z'],
    ['https://docs.example.', 'https://docs.example'],
    ['www.docs.example', 'https://docs.example'],
    ['DOCS.example/path', 'https://docs.example/path'],
    ['“docs.example”', 'https://docs.example'],
    ['docs.example:8080', 'https://docs.example:8080'],
    ['Version 1.2.3', 'https://docs.example'],
    ['e.g. this', 'https://docs.example'],
    ['write to a@b.example', 'mailto:a@b.example'],
    ['A@B.example', 'mailto:a@b.example'],
    ['call us', 'tel:+49309999999'],
    ['+49 (30) 999-9999', 'tel:+49309999999'],
  ] as const;
  for (const [text, href] of HONEST)
    test(`accepts ${JSON.stringify(text)} with target ${href}`, () =>
      assert.ok(!isDisguisedLink(text, href)));
});
