console.info('gatehouse');
