// Drives a real Chromium: a page in a browser of its own, with a fresh profile.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-proxy-server'];

/** Opens the page and answers what the expression is in it; and the browser's version. */
export async function toldByPage(address, expression) {
  const { CHROMIUM: executablePath = '/usr/bin/chromium' } = process.env;
  if (!existsSync(executablePath)) throw new Error(`there is no ${executablePath}: apt-get install chromium, or let CHROMIUM name another`);
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    await page.goto(address);
    return { ...(await page.evaluate(expression)), version: browser.version() };
  } finally {
    await browser.close();
  }
}
