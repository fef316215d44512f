// What `import-time.mjs` compares with.
export {};
