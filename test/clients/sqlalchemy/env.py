import os

from alembic import context
from models import Base
from sqlalchemy import create_engine

with create_engine("postgresql+psycopg2://", echo=bool(os.environ.get("ECHO"))).connect() as connection:
    # docs: env
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        compare_server_default=True,
    )
    # docs: end
    with context.begin_transaction():
        context.run_migrations()
