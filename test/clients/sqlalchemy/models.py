import os

# docs: models
from sqlalchemy import BigInteger, Column, Integer, Text, text
from sqlalchemy.orm import declarative_base

Base = declarative_base()


class Legacy(Base):
    __tablename__ = "legacy"
    id = Column(Integer, primary_key=True)
    item = Column(Text)


class Part(Base):
    __tablename__ = "parts"
    id = Column(BigInteger, primary_key=True, server_default=text("idgen.idgen_next('parts'::text)"))
    item = Column(Text)
# docs: end


if os.environ.get("WITH_NOTE"):
    Legacy.note = Column(Text)
