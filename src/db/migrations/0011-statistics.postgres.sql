-- side by side with: 0007
-- PostgreSQL has its statistics of the data, and makes them by itself.
SELECT 1;
